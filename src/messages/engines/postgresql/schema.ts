/** The schema of everything that is ours in a database of PostgreSQL. */
export const SCHEMA = 'writ_messages';

/** What is said to a user of the database for whom its security does not hold. */
export const ABOVE = 'the user of messages.postgresql_url is a superuser or has BYPASSRLS, so that row-level security does not hold: give it one without';
