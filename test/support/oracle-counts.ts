/** Variable that names a file in which the long suite wants the numbers of generated cases, one a line. */
export const COUNTS_VARIABLE = 'WRIT_ORACLE_COUNTS';
