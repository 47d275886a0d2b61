/** Folders with traces that are known by their names: one is measured, in the other it is looked whose code runs. */
export const TRACES = 'traces';
export const PROFILED = 'profiled';

/** 20 MB; a name that Turnwise looks for by itself, one that it does not, and one that says nothing to VS Code either. */
export const LARGE = 'large.trace.json';
export const LARGE_PLAIN = 'large.json';
export const NO_LANGUAGE = 'large';

/** One session of 2,000 turns. */
export const LONG = 'long.trace.json';

/** One session of 10,000 turns. */
export const LONGEST = 'longest.trace.json';

/** The tool that a long session calls, and what an edit makes of its name. */
export const TOOL = 'read_record';
export const NO_TOOL = 'read_rekord';

/** Little, and no trace: what VS Code does with any JSON it has done once it is open. */
export const SMALL = 'small.json';

/** Folders of scenarios: in one they run, in the other only the files are listed. */
export const SCENARIOS = 'scenarios-that-run';
export const SCENARIOS_OF_MANY_FILES = 'scenarios-of-many-files';

export const SCENARIO_FILES = 500;
export const SCENARIOS_IN_FILE = 10;
export const MANY_FILES = 2000;
