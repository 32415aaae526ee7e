-- One commit is one commit, whether a run names it by its sha, by the first digits of it, or by a tag.

CREATE TABLE commit_tag (
  tag       text NOT NULL CHECK (tag <> ''),
  commit_id text NOT NULL REFERENCES commit ON DELETE CASCADE,
  PRIMARY KEY (tag, commit_id)  -- Two trees may have a tag of one name.
);
CREATE INDEX commit_tag_of ON commit_tag (commit_id);

-- Ids that are neither a full sha nor a patch: few, and each may turn out to name a commit that git tells later.
CREATE INDEX commit_local_name ON commit (commit_id)
  WHERE patch_message_id IS NULL AND commit_id !~ '^([0-9a-f]{40}|[0-9a-f]{64})$';

-- The commits with a full sha that a name stands for: by tag, by the first 7 digits or more, or by those at the end of a
-- git describe ("v6.12-3-g1a2b3c4d5e6f").
CREATE FUNCTION commits_named(name text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT t.commit_id FROM commit_tag t WHERE t.tag = name
  UNION
  SELECT c.commit_id
  FROM (SELECT substring(lower(name) FROM '^(?:.*-g)?([0-9a-f]{7,40})$') AS first_digits) AS d
  JOIN commit c ON c.commit_id ~>=~ d.first_digits AND c.commit_id ~<~ (d.first_digits || 'g')
  WHERE c.commit_id ~ '^([0-9a-f]{40}|[0-9a-f]{64})$'
$$;
