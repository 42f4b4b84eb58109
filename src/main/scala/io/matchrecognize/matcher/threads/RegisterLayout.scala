package io.matchrecognize.matcher.threads

import java.util.Arrays

import scala.collection.mutable

import io.matchrecognize.matcher.{MemoryAccount, RegisterPlan, RegisterReads, RowRegister}
import io.matchrecognize.pattern.Automaton

/**
 * Lays out the registers of a thread, as a tagged automaton does its tags, and finds which of them
 * are live at which position.
 *
 * A register is live at a position if the condition of a symbol reachable by one or more edges
 * reads it. It decides the future there unless only conjuncts of the position's own variable read
 * it whose truth is settled: the thread has passed them, and no row to come changes what they read.
 * Row registers over all symbols are computed from the row number and take no slot. `LAST(A, k)` is
 * a shift register of k + 1 slots: a slot takes the old value of the one before it; `FIRST(A, k)`
 * takes one, which holds `-(k + 1)` at first and counts up to -1 before it holds a row. Labels are
 * kept in the same way, those over all symbols too.
 *
 * @param readsPath
 *   for each symbol whether its condition is tested on the path
 * @param isApart
 *   whether each position of a symbol has a state of its own
 */
private[matcher] final class RegisterLayout(
    automaton: Automaton,
    plan: RegisterPlan,
    readsPath: Array[Boolean],
    isApart: Int => Boolean,
    account: MemoryAccount
) {
  import RegisterLayout._

  private val symbols = automaton.symbols.size

  /** Fold registers per thread. */
  val folds: Int = plan.folds.size

  private val rowChains = new Chains(plan.rows.filter(!isUniversal(_)), 0)
  private val labelChains = new Chains(plan.labels, rowChains.end)

  /** Row slots per thread, those of labels included. */
  val slots: Int = labelChains.end
  // What is kept for each slot, and its bits in the sets of positions.
  account.charge(slots * (SlotBytes + symbols) + slots / 8L * (symbols + 4L * automaton.positions))

  private val slotKinds = new Array[Byte](slots)
  private val slotMembers = new Array[Boolean](slots * symbols)
  private val initialValues = new Array[Long](slots)
  rowChains.set(LastRow, FirstRow)
  labelChains.set(LastLabel, FirstLabel)

  // For each row register of the plan: its slot, or how to compute it.
  private val registerSlots: Array[Int] = plan.rows.map(slotOf).toArray
  private val registerOffsets: Array[Int] = plan.rows.map(_.offset).toArray
  private val foldMembers = new Array[Boolean](folds * symbols)
  plan.folds.indices.foreach { fold =>
    plan.folds(fold).members.foreach(symbol => foldMembers(fold * symbols + symbol) = true)
  }

  // Registers, then all labels, then what differs from attempt to attempt.
  private val bits = slots + folds + 2
  private val words = (bits + 63) / 64
  private val reads: Array[Array[Long]] = Array.tabulate(symbols)(s => bitsOf(s, plan.reads(s)))

  /** Whether any condition reads labels that no register holds. */
  val readsLabels: Boolean = reads.exists(has(_, slots + folds))

  private val sets = mutable.HashMap.empty[Seq[Long], RegisterSet]
  private val liveSets = new Array[RegisterSet](automaton.positions)
  private val neededSets = new Array[RegisterSet](automaton.positions)
  private val futureSets = new Array[RegisterSet](automaton.positions)
  private val states = new Array[Int](automaton.positions)
  // The numbers of the `memoStates`, -1 for others.
  private val memos = Array.fill(automaton.positions)(-1)

  /** States where a failure on one path is a failure on all paths of all attempts. */
  val memoStates: Int = fill()

  def live(position: Int): RegisterSet = liveSets(position)

  /** The live registers and those that the position's own condition reads. */
  def needed(position: Int): RegisterSet = neededSets(position)

  /** The live registers that decide the future: paths that agree in them may merge. */
  def future(position: Int): RegisterSet = futureSets(position)

  /**
   * The state once a row is mapped to the position: a position from which paths go on in the same
   * way, so that a less preferred thread there need not be tried.
   */
  def state(position: Int): Int = states(position)

  /** Number of a state among the `memoStates`, -1 if it is not one. */
  def memo(state: Int): Int = memos(state)

  def foldHas(fold: Int, symbol: Int): Boolean = foldMembers(fold * symbols + symbol)

  def initialize(rows: Array[Long]): Unit = System.arraycopy(initialValues, 0, rows, 0, slots)

  /** The value of a slot after a row of `symbol`; `base` is where the thread's slots begin. */
  def updated(rows: Array[Long], base: Int, slot: Int, symbol: Int, row: Long): Long = {
    val value = rows(base + slot)
    if (!slotMembers(slot * symbols + symbol)) value
    else
      slotKinds(slot) match {
        case LastRow => row
        case LastLabel => symbol.toLong
        case Earlier => rows(base + slot - 1)
        case FirstRow => if (value < -1) value + 1 else if (value == -1) row else value
        case FirstLabel =>
          if (value < -1) value + 1 else if (value == -1) symbol.toLong else value
      }
  }

  /** Value of a row register of the plan for a thread whose slots begin at `base`. */
  def register(register: Int, rows: Array[Long], base: Int, start: Long, row: Long): Long =
    registerSlots(register) match {
      case UniversalFirst =>
        val target = start + registerOffsets(register)
        if (target <= row) target else -1
      case UniversalLast =>
        val target = row - registerOffsets(register)
        if (target >= start) target else -1
      case slot => rows(base + slot).max(-1)
    }

  private def isUniversal(register: RowRegister): Boolean =
    (0 until symbols).forall(register.symbols.contains)

  private def slotOf(register: RowRegister): Int =
    if (isUniversal(register)) if (register.fromFirst) UniversalFirst else UniversalLast
    else rowChains.slotOf(register)

  /** The slots of some registers; LAST registers over the same set share a chain. */
  private final class Chains(registers: IndexedSeq[RowRegister], base: Int) {
    private val lasts: IndexedSeq[(Set[Int], Int)] = registers
      .filter(!_.fromFirst)
      .groupMapReduce(r => r.symbols.members)(_.offset)(_ max _)
      .toIndexedSeq
    private val firsts: IndexedSeq[(Set[Int], Int)] =
      registers.filter(_.fromFirst).map(r => (r.symbols.members, r.offset)).distinct
    private val lastBases = lasts.scanLeft(base)((next, last) => sum(next, last._2 + 1L))
    private val firstBase = lastBases.last
    val end: Int = sum(firstBase, firsts.size.toLong)

    /** A number of slots for which there may be arrays. */
    private def sum(slots: Int, more: Long): Int = {
      val width = symbols.max(RegisterLayout.FirstThreads)
      if ((slots + more) * width > MemoryAccount.MaxArray) account.grown(0, Int.MaxValue): Unit
      slots + more.toInt
    }

    def slotOf(register: RowRegister): Int =
      if (register.fromFirst)
        firstBase + firsts.indexOf((register.symbols.members, register.offset))
      else lastBases(lasts.indexWhere(_._1 == register.symbols.members)) + register.offset

    def set(lastKind: Int, firstKind: Int): Unit = {
      lasts.indices.foreach { i =>
        (lastBases(i) to lastBases(i) + lasts(i)._2).foreach { slot =>
          setSlot(slot, if (slot == lastBases(i)) lastKind else Earlier, lasts(i)._1, -1)
        }
      }
      firsts.indices.foreach { i =>
        setSlot(firstBase + i, firstKind, firsts(i)._1, -(firsts(i)._2 + 1).toLong)
      }
    }

    private def setSlot(slot: Int, kind: Int, members: Set[Int], initial: Long): Unit = {
      slotKinds(slot) = kind.toByte
      members.foreach(symbol => slotMembers(slot * symbols + symbol) = true)
      initialValues(slot) = initial
    }
  }

  private def bitsOf(symbol: Int, read: RegisterReads): Array[Long] = {
    val set = new Array[Long](words)
    def add(bit: Int): Unit = set(bit / 64) |= 1L << bit
    if (readsPath(symbol)) {
      read.rows.foreach { register =>
        val slot = registerSlots(register)
        if (slot < 0) add(slots + folds + 1)
        else if (plan.rows(register).fromFirst) add(slot)
        else (slot - registerOffsets(register) to slot).foreach(add)
      }
      read.folds.foreach(fold => add(slots + fold))
      read.labels.foreach { label =>
        val register = plan.labels(label)
        val slot = labelChains.slotOf(register)
        if (register.fromFirst) add(slot)
        else {
          // Every row shifts a chain over all symbols by one slot.
          val last = if (isUniversal(register)) slot - 1 else slot
          (slot - register.offset to last).foreach(add)
        }
      }
      if (read.allLabels) add(slots + folds)
      if (read.attempt) add(slots + folds + 1)
    }
    set
  }

  private def has(set: Array[Long], bit: Int): Boolean = (set(bit / 64) & (1L << bit)) != 0

  /** Live-variable analysis. */
  private def fill(): Int = {
    val live = spread((_, target) => reads(automaton.symbolOf(target)))
    val future = if (readsPath.contains(true)) spread(futureReads()) else live
    var memoable = 0
    val first = mutable.HashMap.empty[(Int, RegisterSet), Int]
    (0 until automaton.positions).foreach { position =>
      val set = bitsAt(live, position)
      liveSets(position) = setOf(set)
      val own = reads(automaton.symbolOf(position))
      neededSets(position) = setOf(Array.tabulate(words)(word => set(word) | own(word)))
      val decisive = bitsAt(future, position)
      futureSets(position) = setOf(decisive)
      // Threads whose labels decide are compared from the row before on: the last labels are equal.
      val isOwn = futureSets(position).labels || isApart(automaton.symbolOf(position))
      val alike = (automaton.firstAlike(position), futureSets(position))
      states(position) = if (isOwn) position else first.getOrElseUpdate(alike, position)
      if (states(position) == position && decisive.forall(_ == 0)) {
        memos(position) = memoable
        memoable += 1
      }
    }
    memoable
  }

  /** What decides whether a row is mapped along an edge between two positions. */
  private def futureReads(): (Int, Int) => Array[Long] = {
    val settled = Array.tabulate(symbols)(s => bitsOf(s, plan.settled(s)))
    val varying = Array.tabulate(symbols)(s => bitsOf(s, plan.varying(s)))
    val changed = Array.tabulate(symbols)(changedBy)
    val ahead =
      if (settled.forall(_.forall(_ == 0))) new Array[Long](automaton.positions * words)
      else spread((_, target) => changed(automaton.symbolOf(target)))
    // Registers over all symbols, which have no slot, change with every row.
    val isChanging = plan.settled.map(_.rows.exists(registerSlots(_) < 0))
    val stays = Array.tabulate(automaton.positions) { position =>
      val symbol = automaton.symbolOf(position)
      !isChanging(symbol) && (0 until words).forall { word =>
        (settled(symbol)(word) & ahead(position * words + word)) == 0
      }
    }
    (position, target) => {
      val symbol = automaton.symbolOf(target)
      if (symbol == automaton.symbolOf(position) && stays(position)) varying(symbol)
      else reads(symbol)
    }
  }

  /** The registers that a row of a symbol may change. */
  private def changedBy(symbol: Int): Array[Long] = {
    val set = new Array[Long](words)
    (0 until slots + folds).foreach { bit =>
      val isMember =
        if (bit < slots) slotMembers(bit * symbols + symbol) else foldHas(bit - slots, symbol)
      if (isMember) set(bit / 64) |= 1L << bit
    }
    set
  }

  private def bitsAt(found: Array[Long], position: Int): Array[Long] =
    Arrays.copyOfRange(found, position * words, (position + 1) * words)

  /** What edges add, spread backwards along them to a fixed point. */
  private def spread(added: (Int, Int) => Array[Long]): Array[Long] = {
    val found = new Array[Long](automaton.positions * words)
    var changed = readsPath.contains(true)
    while (changed) {
      changed = false
      (automaton.positions - 1 to 0 by -1).foreach { position =>
        (automaton.firstEdge(position) until automaton.endEdge(position)).foreach { edge =>
          val target = automaton.target(edge)
          if (target != Automaton.Accept) {
            val own = added(position, target)
            (0 until words).foreach { word =>
              val before = found(position * words + word)
              val after = before | found(target * words + word) | own(word)
              if (after != before) {
                found(position * words + word) = after
                changed = true
              }
            }
          }
        }
      }
    }
    found
  }

  private def setOf(set: Array[Long]): RegisterSet = sets.getOrElseUpdate(
    set.toSeq,
    new RegisterSet(
      (0 until slots).filter(has(set, _)).toArray,
      (0 until folds).filter(fold => has(set, slots + fold)).toArray,
      has(set, slots + folds),
      has(set, slots + folds + 1)
    )
  )
}

private[matcher] object RegisterLayout {

  /** Threads that arrays have room for at first. */
  private[threads] final val FirstThreads = 16

  // Two arrays for all slots, and a number in each set of live ones.
  private final val SlotBytes = 13L
  private final val UniversalFirst = -1
  private final val UniversalLast = -2
  private final val LastRow = 0
  private final val LastLabel = 1
  private final val Earlier = 2
  private final val FirstRow = 3
  private final val FirstLabel = 4
}

/**
 * A set of registers: slots, folds, and whether the labels of all rows belong to it.
 *
 * @param attempt
 *   whether what differs from attempt to attempt does
 */
private[matcher] final class RegisterSet(
    val slots: Array[Int],
    val folds: Array[Int],
    val labels: Boolean,
    attempt: Boolean
) {
  val isEmpty: Boolean = slots.isEmpty && folds.isEmpty && !labels

  /** Whether paths of two attempts that agree in the registers have the same future. */
  val isShared: Boolean = !labels && !attempt
}
