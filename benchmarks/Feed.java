import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Sends the rows of a file to a topic at an even rate. A line is a key, a tab, and the rest of a row;
 * the value is the time of sending in milliseconds, a comma, and that rest, and its record has the
 * same time.
 *
 * <p>Arguments: the address of the broker, the topic, the file, and pairs of a number of rows and
 * their rate in rows a second. Before each pair, and at the end, the time is printed.
 */
public final class Feed {
  private Feed() {}

  public static void main(String[] args) throws Exception {
    List<String[]> rows = new ArrayList<>();
    try (BufferedReader lines = Files.newBufferedReader(Path.of(args[2]))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        rows.add(line.split("\t"));
      }
    }
    Map<String, Object> settings = Map.of("bootstrap.servers", args[0], "linger.ms", "0");
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      int next = 0;
      for (int pair = 3; pair < args.length; pair += 2) {
        System.out.println(System.currentTimeMillis());
        next = send(producer, args[1], rows, next, next + Integer.parseInt(args[pair]),
            Long.parseLong(args[pair + 1]));
      }
    }
    System.out.println(System.currentTimeMillis());
  }

  private static int send(KafkaProducer<String, String> producer, String topic,
      List<String[]> rows, int first, int end, long rate) {
    long begin = System.nanoTime();
    for (int number = first; number < end; number++) {
      long due = begin + (number - first) * 1_000_000_000L / rate;
      for (long now = System.nanoTime(); now < due; now = System.nanoTime()) {
        LockSupport.parkNanos(due - now);
      }
      String[] row = rows.get(number);
      long time = System.currentTimeMillis();
      producer.send(new ProducerRecord<>(topic, null, time, row[0], time + "," + row[1]));
    }
    producer.flush();
    return end;
  }
}
