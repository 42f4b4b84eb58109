import java.io.Serializable;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;

import org.apache.spark.api.java.function.FlatMapGroupsWithStateFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.GroupState;
import org.apache.spark.sql.streaming.GroupStateTimeout;
import org.apache.spark.sql.streaming.OutputMode;

/**
 * The alternative to the clause: a matcher for each stream of the benchmarks, written with
 * flatMapGroupsWithState. Rows wait in the state of their key until the watermark has passed them;
 * then an automaton processes them in order of time.
 */
public final class HandWritten {
  private HandWritten() {}

  /** A row of any of the streams: fields that a stream does not have are null or 0. */
  public static final class Event implements Serializable {
    private String key;
    private Timestamp ts;
    private double price;
    private String action;

    public String getKey() { return key; }
    public void setKey(String value) { key = value; }
    public Timestamp getTs() { return ts; }
    public void setTs(Timestamp value) { ts = value; }
    public double getPrice() { return price; }
    public void setPrice(double value) { price = value; }
    public String getAction() { return action; }
    public void setAction(String value) { action = value; }
  }

  /** The state of a key: its pending rows, and the state of its automaton. */
  public static class State implements Serializable {
    List<Event> waiting = new ArrayList<>();
    int phase;
    int count;
    double first;
    double previous;
    double bottom;
    long start;
  }

  /** An automaton: takes one row, returns the match found, else null. */
  interface Automaton extends Serializable {
    String take(State state, Event event);

    /** How long a match may last, in milliseconds; 0 for no bound. */
    long bound();
  }

  /** STRT DOWN+ UP+ TURN. */
  static final class VShape implements Automaton {
    @Override
    public long bound() { return 0; }

    @Override
    public String take(State state, Event event) {
      double price = event.price;
      String found = null;
      if (state.phase == 3 && price <= state.previous) {
        found = state.first + " " + state.bottom + " " + state.previous;
        state.phase = 0;
      } else if (state.phase == 2 && price > state.previous) {
        state.phase = 3;
      } else if ((state.phase == 1 || state.phase == 2) && price < state.previous) {
        state.phase = 2;
        state.bottom = price;
      } else if (state.phase != 3) {
        state.phase = 1;
        state.first = price;
      }
      state.previous = price;
      return found;
    }
  }

  /** STRT CHEAPER{2,} BACK. */
  static final class Falling implements Automaton {
    @Override
    public long bound() { return 0; }

    @Override
    public String take(State state, Event event) {
      double price = event.price;
      String found = null;
      if (state.phase == 1 && price < state.previous) {
        state.count += 1;
      } else if (state.phase == 1 && state.count >= 2) {
        found = state.first + " " + state.previous;
        state.phase = 0;
      } else {
        state.phase = 1;
        state.count = 0;
        state.first = price;
      }
      state.previous = price;
      return found;
    }
  }

  /** Some actions in order, with anything between them. */
  static final class InOrder implements Automaton {
    private final String[] actions;
    private final long bound;

    InOrder(long bound, String... actions) {
      this.bound = bound;
      this.actions = actions;
    }

    @Override
    public long bound() { return bound; }

    @Override
    public String take(State state, Event event) {
      long time = event.ts.getTime();
      if (state.phase > 0 && time - state.start > bound) {
        state.phase = 0;
      }
      if (event.action.equals(actions[state.phase])) {
        if (state.phase == 0) {
          state.start = time;
        }
        state.phase += 1;
      }
      if (state.phase < actions.length) {
        return null;
      }
      state.phase = 0;
      return state.start + " " + time;
    }
  }

  /** Feeds an automaton with the rows of a key that the watermark has passed. */
  static final class Matcher implements FlatMapGroupsWithStateFunction<String, Event, State, String> {
    private final Automaton automaton;

    Matcher(Automaton automaton) {
      this.automaton = automaton;
    }

    @Override
    public Iterator<String> call(String key, Iterator<Event> rows, GroupState<State> group) {
      State state = group.exists() ? group.get() : new State();
      rows.forEachRemaining(state.waiting::add);
      state.waiting.sort(Comparator.comparing(Event::getTs));
      long watermark = group.getCurrentWatermarkMs();
      List<String> found = new ArrayList<>();
      int ready = 0;
      while (ready < state.waiting.size()
          && state.waiting.get(ready).ts.getTime() <= watermark) {
        String match = automaton.take(state, state.waiting.get(ready));
        if (match != null) {
          found.add(match);
        }
        ready += 1;
      }
      state.waiting = new ArrayList<>(state.waiting.subList(ready, state.waiting.size()));
      keep(state, group, watermark);
      return found.iterator();
    }

    private void keep(State state, GroupState<State> group, long watermark) {
      boolean open = state.phase > 0;
      if (open && automaton.bound() > 0 && state.start + automaton.bound() < watermark) {
        state.phase = 0;
        open = false;
      }
      if (!open && state.waiting.isEmpty()) {
        group.remove();
        return;
      }
      group.update(state);
      long wake = Long.MAX_VALUE;
      if (!state.waiting.isEmpty()) {
        wake = state.waiting.get(0).ts.getTime();
      } else if (automaton.bound() > 0) {
        wake = state.start + automaton.bound();
      }
      if (wake < Long.MAX_VALUE) {
        group.setTimeoutTimestamp(Math.max(wake, watermark + 1));
      }
    }
  }

  /**
   * Returns the matches of a stream, as texts.
   *
   * @param name the benchmark's name for the stream
   * @param rows with the columns key, ts (with a watermark), price and action
   */
  public static Dataset<String> matches(String name, Dataset<Row> rows) {
    return rows.as(Encoders.bean(Event.class))
        .groupByKey((MapFunction<Event, String>) Event::getKey, Encoders.STRING())
        .flatMapGroupsWithState(
            new Matcher(automaton(name)),
            OutputMode.Append(),
            Encoders.kryo(State.class),
            Encoders.STRING(),
            GroupStateTimeout.EventTimeTimeout());
  }

  private static Automaton automaton(String name) {
    switch (name) {
      case "V shape":
        return new VShape();
      case "gap sequence":
        return new InOrder(3_600_000L, "BROWSE", "SELECT", "CHECKOUT");
      case "falling bids":
        return new Falling();
      case "many open starts":
        return new InOrder(6 * 3_600_000L, "start", "done");
      default:
        throw new IllegalArgumentException(name);
    }
  }
}
