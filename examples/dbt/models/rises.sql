{{ config(materialized='incremental', incremental_strategy='insert_overwrite', partition_by=['from_day']) }}
{% set lookback = "INTERVAL '2' DAY" %}
-- two rises in a row; a run with the day of the first new rows searches two days before it again
SELECT symbol, to_day, from_day FROM (
  SELECT * FROM {{ ref('ticks') }}
  {% if is_incremental() %} WHERE day >= DATE '{{ var('day') }}' - {{ lookback }} {% endif %}
)
MATCH_RECOGNIZE (
  PARTITION BY symbol
  ORDER BY day
  MEASURES STRT.day AS from_day, LAST(day) AS to_day
  AFTER MATCH SKIP TO NEXT ROW
  PATTERN (STRT UP{2}) WITHIN {{ lookback }}
  DEFINE UP AS price > PREV(price)
)
