-- What is answered at once and is no chat: embeddings, rerank and the others are kinds of their own in the sums of hours.

-- Of which kind a request is, by the endpoint that its receipt names.
CREATE FUNCTION usage.kind_of(endpoint text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE endpoint
    WHEN 'embeddings' THEN 'embedding'
    WHEN 'rerank' THEN 'rerank'
    WHEN 'images.generations' THEN 'image'
    WHEN 'images.edits' THEN 'image'
    WHEN 'audio.speech' THEN 'speech'
    WHEN 'audio.transcriptions' THEN 'transcription'
    WHEN 'audio.translations' THEN 'transcription'
    WHEN 'moderations' THEN 'moderation'
    WHEN 'completions' THEN 'completion'
    ELSE 'chat' END
$$;

ALTER TABLE usage.hourly DROP CONSTRAINT hourly_kind_check,
  ADD CONSTRAINT hourly_kind_check CHECK (kind IN ('chat', 'task', 'embedding', 'rerank', 'image', 'speech', 'transcription', 'moderation', 'completion'));

-- The one expression of ledger.post_shard that names the kind; the rest of it is as it stands.
DO $$
DECLARE
  before CONSTANT text := 'THEN ''task'' ELSE ''chat'' END AS kind';
  definition CONSTANT text := pg_get_functiondef('ledger.post_shard(uuid, bigint, integer)'::regprocedure);
BEGIN
  IF strpos(definition, before) = 0 THEN
    RAISE EXCEPTION 'ledger.post_shard does not name the kind of what it sums';
  END IF;
  EXECUTE replace(definition, before, 'THEN ''task'' ELSE usage.kind_of(u.endpoint) END AS kind');
END $$;
