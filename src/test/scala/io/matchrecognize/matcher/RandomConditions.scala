package io.matchrecognize.matcher

import scala.util.Random

import io.matchrecognize.matcher.Condition._
import io.matchrecognize.matcher.FuzzCase.{names, randomSet}

object RandomConditions {
  // Which conditions are drawn: those that read the tested row and its neighbours, the first row of
  // the match as well, or anything.
  val Local = Vector(0, 1, 2, 3, 4, 15, 17, 20, 25)
  val FirstRow = Vector(1, 2, 3, 4, 16, 17, 20, 22, 22, 23, 23, 24)
  val All = (0 to 26).toVector

  /** Those that read other rows of the path, also through aggregates. */
  val OfPath = Vector(5, 5, 6, 6, 7, 8, 9, 9, 10, 11, 11, 12, 13, 14, 17, 18, 21, 24, 26, 26)

  def draw(random: Random, loose: Int, reads: Vector[Int]): Condition = {
    def part = draw(random, loose, reads)
    if (random.nextInt(3) < loose) {
      random.nextInt(4) match {
        case 0 => Always
        case 1 => AtMost(1 + random.nextInt(3))
        case _ => IsNot(random.nextInt(4))
      }
    } else
      reads(random.nextInt(reads.size)) match {
        case 0 => Always
        case 1 => AtMost(random.nextInt(4))
        case 2 => IsNot(random.nextInt(4))
        case 3 => AbovePrevious
        case 4 => AboveNext
        case 5 => AboveLast(randomSet(random), random.nextInt(3))
        case 6 => NotLast(randomSet(random), random.nextInt(3))
        case 7 => AboveFirst(randomSet(random), random.nextInt(3))
        case 8 => NoFirst(randomSet(random), random.nextInt(3))
        case 9 => CountAtMost(randomSet(random), random.nextInt(4))
        case 10 => CountIsOdd(randomSet(random))
        case 11 if random.nextBoolean() => SumAbove(randomSet(random), random.nextInt(8))
        case 11 => SumAtMost(randomSet(random), random.nextInt(8))
        case 12 => FailingSumIsOdd(randomSet(random), random.nextInt(4))
        case 13 => PreviousLabelIs(names(random.nextInt(names.size)))
        case 14 => MatchNumberIsOdd
        case 15 | 16 => FailsOn(random.nextInt(4), part)
        case 17 => Both(part, part)
        case 18 | 19 =>
          val set = if (random.nextBoolean()) names.toSet else randomSet(random)
          val variable = names(random.nextInt(names.size))
          LabelIs(set, random.nextInt(4) == 0, random.nextInt(3), variable)
        case 22 => NearFirst(names.toSet, random.nextInt(4) - 1)
        case 23 => AboveFirst(names.toSet, 0)
        case 24 => AboveLast(Set("A"), 0)
        case 26 =>
          val set = if (random.nextBoolean()) names.toSet else randomSet(random)
          LastIsNot(set, random.nextInt(4), random.nextInt(4))
        case 25 => AboveBack(1 + random.nextInt(3), random.nextBoolean())
        case _ => Either(part, part)
      }
  }
}
