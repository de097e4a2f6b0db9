-- The number of the store's newest change of who may see what (agents, projects, products, contacts) that is in here. 0: of a version
-- of Writ that did not number these, so that nothing is asked of this copy until the mirror has done a step.
ALTER TABLE mirror ADD COLUMN places_version bigint NOT NULL DEFAULT 0;
