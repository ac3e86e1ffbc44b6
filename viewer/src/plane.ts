/* the page of a run in the plane */
import { Plane } from './flat';
import { page } from './run';

page((run) => new Plane(run));
