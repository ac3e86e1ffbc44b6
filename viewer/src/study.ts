/* the page of a study: a comparison, a paper, regions of stability, a control surface or a sweep. */
import './style.css';
import './study.css';
import { pageData } from './page';
import { comparePage } from './study_compare';
import { paperPage } from './study_paper';
import { stabilityPage } from './study_stability';
import { surfacePage } from './study_surface';
import { sweepPage } from './study_sweep';
import type { StudyData } from './study_data';

const data = pageData<StudyData>();
const page = (): HTMLElement => {
  switch (data.kind) {
    case 'compare':
      return comparePage(data);
    case 'paper':
      return paperPage(data);
    case 'stability':
      return stabilityPage(data);
    case 'surface':
      return surfacePage(data);
    case 'sweep':
      return sweepPage(data);
  }
};
document.body.prepend(page());
