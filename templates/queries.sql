-- Five questions to a bundle, for DuckDB. In the bundle's folder:  duckdb < queries.sql
-- Times are milliseconds of the delivered video. Rows that the reader itself distrusts are kept in evidence.parquet and marked.

-- 1. What was on the screen and said around an instant? (change 2000)
SELECT channel, start_ms, end_ms, text
FROM read_parquet('evidence.parquet')
WHERE trusted AND start_ms <= 2000 + 2000 AND end_ms >= 2000 - 2000
ORDER BY start_ms, channel;

-- 2. Where does a word appear? (change 'a', case and accents do not matter)
SELECT id, channel, instant_ms, text
FROM read_parquet('evidence.parquet')
WHERE strip_accents(lower(text)) LIKE '%' || strip_accents(lower('a')) || '%'
ORDER BY instant_ms;

-- 3. Which texts stayed longest on the screen?
SELECT text, sum(end_ms - start_ms) / 1000.0 AS seconds, count(*) AS times
FROM read_parquet('evidence.parquet')
WHERE channel = 'tela' AND kind = 'text' AND trusted
GROUP BY text
ORDER BY seconds DESC, text
LIMIT 20;

-- 4. What did the reader distrust, and why?
SELECT channel, distrust_reason, count(*) AS readings, min(start_ms) AS first_ms, any_value(text) AS example
FROM read_parquet('evidence.parquet')
WHERE NOT trusted
GROUP BY channel, distrust_reason
ORDER BY readings DESC, channel;

-- 5. Which spoken words is the recogniser least sure of, and when are they said?
SELECT id, word.text AS word, word.start_ms AS start_ms, word.prob AS probability
FROM (SELECT id, unnest(words) AS word FROM read_parquet('evidence.parquet') WHERE channel = 'fala' AND trusted)
ORDER BY probability, start_ms
LIMIT 20;
