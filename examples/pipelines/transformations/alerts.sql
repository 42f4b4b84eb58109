-- alerts from the stream: each run adds those that its new rows decide
CREATE STREAMING TABLE alerts AS SELECT * FROM STREAM arriving WATERMARK ts DELAY OF INTERVAL 10 MINUTES
MATCH_RECOGNIZE (
  PARTITION BY aircraft
  ORDER BY ts, flight
  MEASURES ON_TIME.ts AS since, LAST(LATE.ts) AS at, LAST(LATE.delay) AS delay
  PATTERN (ON_TIME LATE{2}) WITHIN INTERVAL '12' HOUR
  DEFINE
    ON_TIME AS delay <= 5,
    LATE AS delay > 15 AND delay > PREV(delay)
);
