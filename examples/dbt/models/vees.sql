-- each fall of a price with the rise after it
SELECT * FROM {{ ref('ticks') }}
MATCH_RECOGNIZE (
  PARTITION BY symbol
  ORDER BY day
  MEASURES
    STRT.day AS from_day,
    LAST(DOWN.price) AS bottom,
    LAST(UP.day) AS to_day
  AFTER MATCH SKIP TO LAST UP
  PATTERN (STRT DOWN+ UP+)
  DEFINE
    DOWN AS price < PREV(price),
    UP AS price > PREV(price)
)
