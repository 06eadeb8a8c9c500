-- One schema per truth room; a room's own migrations fill it, and only that room's store reads or writes it.
CREATE SCHEMA accounts;
CREATE SCHEMA keys;
CREATE SCHEMA catalogue;
CREATE SCHEMA ledger;
CREATE SCHEMA usage;
