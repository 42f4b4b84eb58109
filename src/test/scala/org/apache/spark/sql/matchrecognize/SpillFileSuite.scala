package org.apache.spark.sql.matchrecognize

import java.io.{File, IOException, InputStream, OutputStream}
import java.nio.file.Files
import java.util.UUID
import java.util.concurrent.atomic.AtomicInteger

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.SparkConf
import org.apache.spark.io.{CompressionCodec, LZ4CompressionCodec}
import org.apache.spark.security.CryptoStreamUtils
import org.apache.spark.serializer.{JavaSerializer, SerializerManager}
import org.apache.spark.storage.TempLocalBlockId
import org.scalatest.funsuite.AnyFunSuite

import io.matchrecognize.Sampled

/** Records in every form that Spark's spill files have. */
class SpillFileSuite extends AnyFunSuite {

  /** Writes records, and reads them in another order, some in part. */
  private def readsBack(confs: (String, String)*): Unit = {
    val conf = new SparkConf(false)
    confs.foreach { case (key, value) => conf.set(key, value) }
    val isEncrypted = conf.getBoolean("spark.io.encryption.enabled", false)
    val key = Option.when(isEncrypted)(CryptoStreamUtils.createKey(conf))
    val serializer = new SerializerManager(new JavaSerializer(conf), conf, key)
    val path = Files.createTempFile("spill", "")
    val file = new SpillFile(TempLocalBlockId(UUID.randomUUID), path.toFile, 16, serializer)
    val records = (0 until 50).map { i =>
      Array.tabulate(1 + i * i * 97)(at => ((at * 31 + i) % (1 + i * 5)).toByte)
    }
    Seq(records, records.take(20)).foreach { written =>
      val positions = written.map { bytes =>
        file.write { (out, buffer) =>
          assert(buffer.length == 16)
          out.writeInt(bytes.length)
          out.write(bytes)
        }
      }
      (written.indices.reverse ++ written.indices).foreach { i =>
        file.read(positions(i)) { (in, _) =>
          val bytes = new Array[Byte](in.readInt())
          if (i % 7 != 3) {
            in.readFully(bytes)
            assert(bytes.sameElements(written(i)), s"$confs, record $i")
          }
        }
      }
      file.clear()
    }
    file.close()
    assert(!new File(path.toString).exists)
  }

  private val forms = for {
    codec <- Seq("lz4", "lzf", "snappy", "zstd")
    encryption <- Seq("false", "true")
  } yield (codec, encryption)

  Sampled.oneIn(3, forms).foreach { case (codec, encryption) =>
    test(s"$codec, encryption $encryption") {
      readsBack(
        "spark.io.compression.codec" -> codec,
        "spark.io.encryption.enabled" -> encryption
      )
    }
  }

  test("without compression") {
    readsBack("spark.shuffle.spill.compress" -> "false")
  }

  test("records after one whose writing failed are read back") {
    val conf = new SparkConf(false)
    val serializer = new SerializerManager(new JavaSerializer(conf), conf, None)
    val path = Files.createTempFile("spill", "")
    val file = new SpillFile(TempLocalBlockId(UUID.randomUUID), path.toFile, 0, serializer)
    def fail(): Unit =
      intercept[IOException](file.write { (out, _) =>
        out.write(Array.range(0, 1 << 18).map(_.toByte))
        throw new IOException("no space left")
      }): Unit
    def readsBack(number: Int): Unit = {
      val position = file.write((out, _) => out.writeInt(number))
      file.read(position)((in, _) => assert(in.readInt() == number))
    }
    fail()
    readsBack(1)
    fail()
    readsBack(2)
    file.clear()
    fail()
    file.clear()
    assert(path.toFile.length == 0)
    readsBack(3)
    file.close()
  }

  test("random writes and reads, some of which fail") {
    val conf = new SparkConf(false)
      .set("spark.io.compression.codec", classOf[CountingCodec].getName)
    val serializer = new SerializerManager(new JavaSerializer(conf), conf, None)
    CountingCodec.open.set(0)
    (0 until 20).foreach { seed =>
      val random = new Random(seed)
      val path = Files.createTempFile("spill", "")
      val file = new SpillFile(TempLocalBlockId(UUID.randomUUID), path.toFile, 16, serializer)
      val written = mutable.Map.empty[Long, Array[Byte]]
      def bytes() = random.nextBytes(random.nextInt(if (random.nextInt(4) == 0) 200000 else 50))
      (0 until 60).foreach { step =>
        val clue = s"seed $seed, step $step"
        random.nextInt(12) match {
          case 0 =>
            intercept[IOException](file.write { (out, _) =>
              out.write(bytes())
              throw new IOException("no space left")
            }): Unit
          case 1 if random.nextInt(5) == 0 =>
            file.clear()
            written.clear()
          case 2 | 3 | 4 | 5 =>
            val record = bytes()
            written(file.write((out, _) => out.write(record))) = record
          case kind if written.nonEmpty =>
            val (position, record) = written.toSeq(random.nextInt(written.size))
            def read(count: Int): Unit = file.read(position) { (in, _) =>
              val found = new Array[Byte](count)
              in.readFully(found)
              assert(found.sameElements(record.take(count)), clue)
              if (kind == 6) throw new IllegalStateException(clue)
            }
            if (kind == 6) intercept[IllegalStateException](read(record.length)): Unit
            else read(if (kind < 9) record.length else random.nextInt(record.length + 1))
          case _ =>
        }
        assert(CountingCodec.open.get == 0, clue)
      }
      file.close()
    }
  }

  test("every stream is closed, also after an error") {
    CountingCodec.open.set(0)
    readsBack("spark.io.compression.codec" -> classOf[CountingCodec].getName)
    assert(CountingCodec.opened.get > 200 && CountingCodec.open.get == 0)
    val conf =
      new SparkConf(false).set("spark.io.compression.codec", classOf[CountingCodec].getName)
    val serializer = new SerializerManager(new JavaSerializer(conf), conf, None)
    val path = Files.createTempFile("spill", "")
    val file = new SpillFile(TempLocalBlockId(UUID.randomUUID), path.toFile, 0, serializer)
    val position = file.write((out, _) => out.writeInt(1))
    intercept[IllegalStateException](
      file.read(position)((_, _) => throw new IllegalStateException("x"))
    )
    file.close()
    assert(CountingCodec.open.get == 0)
  }
}

/** Counts the streams that are open. */
class CountingCodec(conf: SparkConf) extends CompressionCodec {
  import CountingCodec._
  private val codec = new LZ4CompressionCodec(conf)

  private def begin(): Unit = {
    opened.incrementAndGet(): Unit
    open.incrementAndGet(): Unit
  }

  override def compressedOutputStream(out: OutputStream): OutputStream = {
    begin()
    val compressed = codec.compressedOutputStream(out)
    new OutputStream {
      override def write(byte: Int): Unit = compressed.write(byte)
      override def close(): Unit = {
        compressed.close()
        open.decrementAndGet(): Unit
      }
    }
  }

  override def compressedInputStream(in: InputStream): InputStream = {
    begin()
    val plain = codec.compressedInputStream(in)
    new InputStream {
      override def read(): Int = plain.read()
      override def close(): Unit = {
        plain.close()
        open.decrementAndGet(): Unit
      }
    }
  }
}

object CountingCodec {
  val opened = new AtomicInteger
  val open = new AtomicInteger
}
