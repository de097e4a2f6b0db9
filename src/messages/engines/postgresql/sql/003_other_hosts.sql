-- What a host without the store needs beside mail to search: names of products, keys of cursors, who is in Cc; and in `mirror` whether
-- the copy was whole once, and which host makes it.
ALTER TABLE mirror ADD COLUMN whole boolean NOT NULL DEFAULT false, ADD COLUMN writer text NOT NULL DEFAULT '';

-- Of those in `recipients`, those in Cc. A copy of before does not say it, so it is made anew.
ALTER TABLE messages ADD COLUMN cc bigint[] NOT NULL DEFAULT '{}';
DELETE FROM mirror;

CREATE TABLE products (
  id bigint PRIMARY KEY,
  product_uid text NOT NULL,
  name text NOT NULL
);
ALTER TABLE products ENABLE ROW LEVEL SECURITY;
ALTER TABLE products FORCE ROW LEVEL SECURITY;
CREATE POLICY mirrored ON products USING ((SELECT said('mode')) = 'write');
CREATE POLICY seen ON products FOR SELECT USING ((SELECT said('mode')) = 'resolve');

-- `secret` in hexadecimal digits. Seen by nobody who reads mail at the same time: `writ.mode` is `seal`.
CREATE TABLE cursor_keys (
  id bigint PRIMARY KEY,
  secret text NOT NULL
);
ALTER TABLE cursor_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE cursor_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY mirrored ON cursor_keys USING ((SELECT said('mode')) = 'write');
CREATE POLICY seen ON cursor_keys FOR SELECT USING ((SELECT said('mode')) = 'seal');
