import { type Done, type OpOf, refused, UNCHANGED, type WriteParts } from './parts.ts';

export interface PlaceWriter {
  project(op: OpOf<'project'>, at: number): Done;
  product(op: OpOf<'product'>, at: number): Done;
  link(op: OpOf<'link' | 'unlink'>, at: number): Done;
}

/** Projects, products, and which project belongs to which product. */
export function createPlaceWriter({ db, names, stamps }: WriteParts): PlaceWriter {
  const setKey = db.prepare('UPDATE projects SET human_key = @key WHERE id = @id AND human_key <> @key');
  const setCreated = db.prepare('UPDATE projects SET created_at = @created WHERE id = @id AND created_at <> @created');
  const findProduct = db.prepare<[string], { id: number; name: string }>('SELECT id, name FROM products WHERE product_uid = ?');
  const nameTaken = db.prepare<[string, string], number>('SELECT 1 FROM products WHERE name = ? AND product_uid <> ?').pluck();
  const makeProduct = db.prepare('INSERT INTO products (product_uid, name, created_at) VALUES (?, ?, ?)');
  const renameProduct = db.prepare('UPDATE products SET name = ? WHERE id = ?');
  const link = db.prepare('INSERT OR IGNORE INTO product_project_links (product_id, project_id, created_at) VALUES (?, ?, ?)');
  const unlink = db.prepare('DELETE FROM product_project_links WHERE product_id = ? AND project_id = ?');

  return {
    project(op, at) {
      const isNew = names.projectOf(op.slug) === undefined;
      const id = names.project(op.slug, at);
      if (stamps.overtaken('project', op.slug, at)) return UNCHANGED;
      stamps.set('project', op.slug, at);
      const keyed = op.human_key === undefined ? 0 : setKey.run({ id, key: op.human_key }).changes;
      const dated = op.created_at === undefined ? 0 : setCreated.run({ id, created: op.created_at }).changes;
      if (isNew) return { what: 'inserted', documents: 1 };
      return keyed + dated === 0 ? UNCHANGED : { what: 'updated', documents: keyed };
    },
    product(op, at) {
      if (stamps.overtaken('product', op.product_uid, at)) return UNCHANGED;
      if (nameTaken.get(op.name, op.product_uid) !== undefined) return refused(`another product has the name ${op.name}`);
      stamps.set('product', op.product_uid, at);
      const stored = findProduct.get(op.product_uid);
      if (stored === undefined) {
        makeProduct.run(op.product_uid, op.name, op.created_at ?? at);
        return { what: 'inserted' };
      }
      if (stored.name === op.name) return UNCHANGED;
      renameProduct.run(op.name, stored.id);
      return { what: 'updated' };
    },
    link(op, at) {
      const product = findProduct.get(op.product_uid);
      if (product === undefined) return refused(`there is no product ${op.product_uid}`);
      const stamp = JSON.stringify([op.product_uid, op.project]);
      if (stamps.overtaken('link', stamp, at)) return UNCHANGED;
      stamps.set('link', stamp, at);
      if (op.op === 'link') return link.run(product.id, names.project(op.project, at), at).changes === 0 ? UNCHANGED : { what: 'inserted' };
      const project = names.projectOf(op.project);
      return project === undefined || unlink.run(product.id, project).changes === 0 ? UNCHANGED : { what: 'deleted' };
    },
  };
}
