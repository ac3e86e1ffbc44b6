/* the page of a run in space */
import { page } from './run';
import { Space } from './solid';

page((run) => new Space(run));
