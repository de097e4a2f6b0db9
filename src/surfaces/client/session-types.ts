/** A browser that is logged in. `current`: it asks. */
export interface SessionView {
  id: string;
  name: string;
  roles: ('submit' | 'search' | 'read' | 'ingest' | 'approve' | 'operate' | 'kernel')[];
  opened_at: string;
  ends_at: string;
  current: boolean;
}

export interface SessionList {
  sessions: SessionView[];
}

export interface SessionEnd {
  id: string;
  name: string;
  ended: true;
}
