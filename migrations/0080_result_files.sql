-- What tasks made is told from what was copied for them.
ALTER TYPE files.origin ADD VALUE 'result';
