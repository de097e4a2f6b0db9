import { temporaryIndex } from '../support/task-index.ts';
import { taskIndexConformance } from './task-index.ts';

taskIndexConformance('task index in SQLite', temporaryIndex);
