-- A text of which not every place of a word is kept says so by a word that no text has (engines/postgresql/tokens.ts, `CUT`).
SELECT set_config('writ.mode', 'write', true);
UPDATE messages SET words = words || '''cut text'''::tsvector
  WHERE EXISTS (SELECT FROM unnest(words) WHERE cardinality(positions) >= 255 OR 16383 = ANY (positions));
UPDATE agents SET words = words || '''cut text'''::tsvector
  WHERE EXISTS (SELECT FROM unnest(words) WHERE cardinality(positions) >= 255 OR 16383 = ANY (positions));
UPDATE projects SET words = words || '''cut text'''::tsvector
  WHERE EXISTS (SELECT FROM unnest(words) WHERE cardinality(positions) >= 255 OR 16383 = ANY (positions));
