{{ config(materialized='view') }}
{% set percent = var('percent', 30) %}
-- a fall of at least {{ percent }} percent, as a view: whoever reads it needs the plugin, too
SELECT * FROM {{ ref('ticks') }}
MATCH_RECOGNIZE (
  PARTITION BY symbol
  ORDER BY day
  MEASURES
    STRT.day AS from_day,
    DEEP.day AS on_day,
    DEEP.price AS price
  PATTERN (STRT DOWN*? DEEP)
  DEFINE
    DOWN AS price < PREV(price),
    DEEP AS price <= STRT.price * (1 - {{ percent }} / 100)
)
