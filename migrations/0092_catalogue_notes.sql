-- What whoever put a catalogue in force has to say about it.
ALTER TABLE catalogue.versions ADD COLUMN note text CHECK (length(note) BETWEEN 1 AND 500);
