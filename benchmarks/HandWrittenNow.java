import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.streaming.StatefulProcessor;
import org.apache.spark.sql.streaming.TTLConfig;
import org.apache.spark.sql.streaming.TimeMode;
import org.apache.spark.sql.streaming.TimerValues;
import org.apache.spark.sql.streaming.ValueState;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The alternative to the clause in Real-Time Mode: a matcher for each stream of the benchmark,
 * written with transformWithState. It takes the rows of a key as they arrive.
 */
public final class HandWrittenNow {
  private HandWrittenNow() {}

  /** A row of any of the streams. */
  public static final class Event implements Serializable {
    private String key;
    private long ms;
    private long seq;
    private double value;

    public String getKey() { return key; }
    public void setKey(String text) { key = text; }
    public long getMs() { return ms; }
    public void setMs(long time) { ms = time; }
    public long getSeq() { return seq; }
    public void setSeq(long number) { seq = number; }
    public double getValue() { return value; }
    public void setValue(double number) { value = number; }
  }

  /** How far the search of a key is. */
  public static final class Progress implements Serializable {
    private int phase;
    private long first;
    private long start;
    private double previous;

    public int getPhase() { return phase; }
    public void setPhase(int number) { phase = number; }
    public long getFirst() { return first; }
    public void setFirst(long seq) { first = seq; }
    public long getStart() { return start; }
    public void setStart(long ms) { start = ms; }
    public double getPrevious() { return previous; }
    public void setPrevious(double value) { previous = value; }
  }

  /** An automaton: takes one row, returns whether a match ends with it. */
  interface Automaton extends Serializable {
    boolean take(Progress state, Event event);
  }

  /** STRT DOWN+ UP+ TURN. */
  static boolean vShape(Progress state, Event event) {
    double value = event.value;
    boolean found = state.phase == 3 && value <= state.previous;
    if (found) {
      state.phase = 0;
    } else if (state.phase == 2 && value > state.previous) {
      state.phase = 3;
    } else if ((state.phase == 1 || state.phase == 2) && value < state.previous) {
      state.phase = 2;
    } else if (state.phase != 3) {
      state.phase = 1;
      state.first = event.seq;
    }
    state.previous = value;
    return found;
  }

  /** The values 1, 2 and 3 in this order, with anything between them, within a bound. */
  static boolean funnel(Progress state, Event event, long bound) {
    if (state.phase > 0 && event.ms - state.start > bound) {
      state.phase = 0;
    }
    if (event.value == state.phase + 1) {
      if (state.phase == 0) {
        state.start = event.ms;
        state.first = event.seq;
      }
      state.phase += 1;
    }
    boolean found = state.phase == 3;
    if (found) {
      state.phase = 0;
    }
    return found;
  }

  /** Feeds an automaton with the rows of a key as they arrive. */
  static final class Matcher extends StatefulProcessor<String, Event, String> {
    private final Automaton automaton;
    private transient ValueState<Progress> progress;

    Matcher(Automaton automaton) {
      this.automaton = automaton;
    }

    @Override
    public void init(OutputMode mode, TimeMode time) {
      progress = getHandle().getValueState("progress", Encoders.bean(Progress.class), TTLConfig.NONE());
    }

    @Override
    public Iterator<String> handleInputRows(String key, Iterator<Event> rows, TimerValues timers) {
      Progress state = progress.exists() ? progress.get() : new Progress();
      List<String> found = new ArrayList<>();
      while (rows.hasNext()) {
        Event event = rows.next();
        if (automaton.take(state, event)) {
          found.add(event.ms + "," + state.first + "," + event.seq);
        }
      }
      progress.update(state);
      return CollectionConverters.asScala(found.iterator());
    }
  }

  /**
   * Returns the matches of a stream, as texts: the time of the last row in milliseconds, the number
   * of the first row, and that of the last.
   *
   * @param name the benchmark's name for the stream
   * @param bound of a funnel, in milliseconds
   * @param rows with the columns key, ms, seq and value
   */
  public static Dataset<String> matches(String name, long bound, Dataset<Row> rows) {
    Automaton automaton;
    switch (name) {
      case "v-shape":
        automaton = HandWrittenNow::vShape;
        break;
      case "funnel":
        automaton = (state, event) -> funnel(state, event, bound);
        break;
      default:
        throw new IllegalArgumentException(name);
    }
    return rows.as(Encoders.bean(Event.class))
        .groupByKey((MapFunction<Event, String>) Event::getKey, Encoders.STRING())
        .transformWithState(
            new Matcher(automaton), TimeMode.None(), OutputMode.Update(), Encoders.STRING());
  }
}
