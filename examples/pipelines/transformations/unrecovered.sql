-- aircraft that left on time and were late from then on, until the last departure so far; each run
-- computes them anew
CREATE MATERIALIZED VIEW unrecovered AS SELECT * FROM departures
MATCH_RECOGNIZE (
  PARTITION BY aircraft
  ORDER BY ts, flight
  MEASURES ON_TIME.ts AS since, COUNT(LATE.*) AS late, MAX(LATE.delay) AS worst
  PATTERN (ON_TIME LATE+ $)
  DEFINE
    ON_TIME AS delay <= 5,
    LATE AS delay > 15 AND delay > PREV(delay)
);
