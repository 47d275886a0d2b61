import * as z from 'zod/mini';
import { LruCache } from '../../src/core/cache/lru-cache.ts';
import type { OverviewSession } from '../../src/panel/overview/table.ts';
import { overviewRow, overviewTable, tasksBySession } from '../../src/panel/overview/table.ts';
import { groupOccurrences, signals } from '../../src/protocol/report.ts';
import {
  type PageIndex,
  type PageSessionReport,
  pageNested,
  pageSearch,
  pageSession,
  pageTexts,
  pageTurns,
  TIMELINE_ROWS_PER_VALUE,
  TURNS_PER_VALUE,
} from '../../src/protocol/report-page.ts';
import { overviewRows, overviewScores, overviewSummary } from '../../src/protocol/sessions-overview.ts';
import { timelineRows } from '../../src/protocol/timeline.ts';
import { fullText, steps, turns } from '../../src/protocol/turn-rows.ts';
import { searchTurns } from '../../src/protocol/turn-search.ts';
import { filterSessions, type SessionEntry, sortSessions } from '../../src/report-model/sessions-table.ts';
import { SearchIndex } from '../../src/report-model/transcript/search-index.ts';
import { findMatchingTurns, type SearchedSession } from '../../src/report-model/turn-search.ts';
import type { PageData } from './page-data.ts';

/** A session in the table. */
interface ListedSession extends SessionEntry {
  readonly shown: OverviewSession;
}

/** Sessions whose texts are kept for searches. */
const MAX_SEARCHED = 3;

type Answer = (params: unknown, signal: AbortSignal) => unknown;

/** Answers the requests of the app from the data in the page, as the language server does from files. */
export class PageAnswers {
  readonly #data: PageData;
  readonly #places: ReadonlyMap<string, PageIndex['sessions'][number]['report']>;
  readonly #entries: readonly ListedSession[];
  readonly #tasks: ReturnType<typeof tasksBySession>;
  readonly #searched = new LruCache<string, Promise<SearchParts>>(MAX_SEARCHED);
  readonly #answers: ReadonlyMap<string, Answer>;

  constructor(data: PageData, index: PageIndex) {
    this.#data = data;
    this.#places = new Map(index.sessions.map(({ row, report }) => [row.key, report]));
    this.#entries = index.sessions.map(toEntry);
    this.#tasks = tasksBySession(index.tasks);
    this.#answers = new Map<string, Answer>([
      [overviewSummary.method, () => index.summary],
      [overviewScores.method, () => index.scores],
      [overviewRows.method, (params) => this.#rows(z.parse(overviewRows.params, params))],
      [turns.method, (params) => this.#turns(z.parse(turns.params, params))],
      [steps.method, (params) => this.#steps(z.parse(steps.params, params))],
      [fullText.method, (params) => this.#fullText(z.parse(fullText.params, params))],
      [timelineRows.method, (params) => this.#timelineRows(z.parse(timelineRows.params, params))],
      [signals.method, (params) => this.#signals(z.parse(signals.params, params))],
      [groupOccurrences.method, (params) => this.#occurrences(z.parse(groupOccurrences.params, params))],
      [searchTurns.method, (params, signal) => this.#search(z.parse(searchTurns.params, params), signal)],
    ]);
  }

  /** Rejects with a message to display. */
  async answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const answer = this.#answers.get(method);
    if (answer) return await answer(params, signal);
    const { session } = z.parse(ofSession, params);
    const report = await this.session(session);
    const known = report?.answers[method];
    if (known === undefined) throw new Error(`A report has no answer to ${method}.`);
    return known;
  }

  /** The report of a session; null where it was left out. */
  async session(key: string): Promise<PageSessionReport | null> {
    const place = this.#places.get(key) ?? null;
    return place && (await this.#data.value(place, pageSession));
  }

  #rows({ offset, limit, ...query }: z.infer<typeof overviewRows.params>) {
    const found = sortSessions(filterSessions(this.#entries, query.filter), query.sort);
    const rows = overviewTable(found, query.isGrouped ? this.#tasks : new Map(), query);
    return {
      total: rows.length,
      matching: found.length,
      rows: rows.slice(offset, offset + limit).map((row) => overviewRow(row, this.#tasks, ({ shown }) => shown)),
    };
  }

  async #turns({ session, path = [], from, count }: z.infer<typeof turns.params>) {
    if (path.length > 0) return { rows: ((await this.#nested(session, path))?.rows ?? []).slice(from, from + count) };
    const rows: unknown[] = [];
    const last = from + count;
    for (let page = Math.floor(from / TURNS_PER_VALUE); page * TURNS_PER_VALUE < last; page += 1) {
      const first = page * TURNS_PER_VALUE;
      const found = await this.#turnPage(session, page);
      rows.push(...(found?.rows.slice(Math.max(0, from - first), last - first) ?? []));
    }
    return { rows };
  }

  async #turnPage(session: string, page: number) {
    const place = (await this.session(session))?.turns[page];
    return place ? await this.#data.value(place, pageTurns) : null;
  }

  async #nested(session: string, path: unknown) {
    const place = (await this.session(session))?.nested ?? null;
    return place && (await this.#data.value(place, pageNested))[JSON.stringify(path)];
  }

  async #steps({ session, path = [], turn, from, count }: z.infer<typeof steps.params>) {
    const page =
      path.length > 0
        ? await this.#nested(session, path)
        : await this.#turnPage(session, Math.floor(turn / TURNS_PER_VALUE));
    const row = page?.rows[path.length > 0 ? turn : turn % TURNS_PER_VALUE];
    const { steps: first = [], stepsOmitted = 0 } = z.safeParse(stepsOfTurn, row).data ?? {};
    const all = [...first, ...(page?.steps[turn] ?? [])];
    const total = (first.at(-1)?.index ?? -1) + 1 + stepsOmitted;
    return {
      rows: all.filter(({ index }) => index >= from && index < from + count),
      omitted: Math.max(0, total - from - count),
    };
  }

  async #textsOf(session: string, turn: number, path: readonly unknown[]) {
    if (path.length > 0) return (await this.#nested(session, path))?.texts[turn] ?? [];
    const place = (await this.session(session))?.texts[Math.floor(turn / TURNS_PER_VALUE)];
    return place ? ((await this.#data.value(place, pageTexts))[turn % TURNS_PER_VALUE] ?? []) : [];
  }

  async #fullText({ session, path = [], turn, step, field, item, from, count }: z.infer<typeof fullText.params>) {
    const texts = await this.#textsOf(session, turn, path);
    const found = texts.find((text) => text.step === step && text.field === field && text.item === item);
    if (!found) return { excerpt: null };
    const text = found.text.slice(from, from + count);
    return { excerpt: { text, omitted: Math.max(0, found.text.length - from - text.length) } };
  }

  async #timelineRows({ session, from, count }: z.infer<typeof timelineRows.params>) {
    const places = (await this.session(session))?.timeline ?? [];
    const rows: unknown[] = [];
    for (
      let page = Math.floor(from / TIMELINE_ROWS_PER_VALUE);
      page * TIMELINE_ROWS_PER_VALUE < from + count;
      page += 1
    ) {
      const place = places[page];
      if (!place) break;
      const first = page * TIMELINE_ROWS_PER_VALUE;
      const all = await this.#data.value(place, z.array(z.unknown()));
      rows.push(...all.slice(Math.max(0, from - first), from + count - first));
    }
    return { rows };
  }

  async #signals({ session, metrics }: z.infer<typeof signals.params>) {
    const { signals: all = [], series = [] } = (await this.session(session)) ?? {};
    return {
      available: all.map(({ metric }) => metric),
      signals: (metrics ?? series).flatMap((name) => all.find(({ metric }) => metric === name) ?? []),
    };
  }

  async #occurrences({ session, group, offset, limit }: z.infer<typeof groupOccurrences.params>) {
    const all = (await this.session(session))?.occurrences[group] ?? [];
    return { total: all.length, rows: all.slice(offset, offset + limit) };
  }

  async #search({ session, query }: z.infer<typeof searchTurns.params>, signal: AbortSignal) {
    const known = this.#searched.get(session) ?? this.#readSearch(session);
    this.#searched.set(session, known);
    const { results, texts } = await known;
    const isText = query.text !== undefined && query.text.trim() !== '';
    const index = isText ? await texts() : null;
    return await findMatchingTurns(results, index && (() => index), query, signal);
  }

  async #readSearch(session: string): Promise<SearchParts> {
    const report = await this.session(session);
    if (!report) throw new Error('This session is not in the report.');
    const { results, turns: resultOf, problems, observations } = await this.#data.value(report.search, pageSearch);
    const failures = Map.groupBy(problems, ({ turn }) => turn);
    const others = Map.groupBy(observations, ({ turn }) => turn);
    let texts: Promise<SearchIndex | null> | undefined;
    return {
      results: {
        turnCount: resultOf.length,
        turn(index) {
          const metrics = results[resultOf[index] ?? -1];
          return metrics && { metrics };
        },
        findingsByTurn: () => ({ failures, observations: others }),
      },
      texts: () => {
        texts ??= this.#readTexts(report);
        return texts;
      },
    };
  }

  async #readTexts({ texts }: PageSessionReport): Promise<SearchIndex | null> {
    if (texts.length === 0) return null;
    const pages = [];
    for (const place of texts) pages.push(await this.#data.value(place, pageTexts));
    const all = pages.flat();
    return new SearchIndex((turn) => all[turn] ?? []);
  }
}

interface SearchParts {
  readonly results: SearchedSession;
  /** Null without transcripts. */
  readonly texts: () => Promise<SearchIndex | null>;
}

const ofSession = z.object({ session: z.string() });
const stepsOfTurn = z.object({ steps: z.array(z.looseObject({ index: z.int() })), stepsOmitted: z.int() });

function toEntry({ row, labels, rules }: PageIndex['sessions'][number]): ListedSession {
  const { key, id, file, task, headline, worst, problems, turns: count, calls, tokens, cost, durationMs, risk } = row;
  return {
    shown: row,
    key,
    id,
    fileName: file,
    task: task && { id: task.name, trial: task.attempt, dataset: null, agent: null },
    headline,
    worst,
    problems,
    labels: new Set(labels),
    rules: new Set(rules),
    turns: count,
    calls,
    tokens,
    cost,
    durationMs,
    risk,
  };
}
