import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeEditor, fake, noCopies, Range, window } from './report-vscode.ts';

vi.mock('vscode', () => import('./report-vscode.ts'));
const { EvidenceMarker } = await import('../../../src/extension/evidence-marker.ts');

const URI = 'file:///t/a.json';
const range = { start: { line: 4, character: 2 }, end: { line: 11, character: 3 } };
const location = { uri: URI, range };

function marked() {
  const editor = new FakeEditor(URI);
  window.visibleTextEditors = [editor];
  fake.arrange([URI]);
  const marker = new EvidenceMarker(noCopies);
  return { editor, marker };
}

beforeEach(() => fake.reset());

describe('evidence in its file', () => {
  it('gets a cursor at its beginning and a mark on its range, and is not selected', async () => {
    const { editor, marker } = marked();
    await marker.show(location, { preview: true, focus: true });
    expect(editor.selection.start).toMatchObject(range.start);
    expect(editor.selection.isEqual(new Range(editor.selection.start, editor.selection.start))).toBe(true);
    expect(editor.decorated).toMatchObject([range]);
  });

  it('loses its mark when the cursor leaves it, and not within it', async () => {
    const { editor, marker } = marked();
    await marker.show(location, { preview: true, focus: true });
    editor.click(5);
    expect(editor.decorated).toHaveLength(1);
    editor.click(20);
    expect(editor.decorated).toEqual([]);
  });

  it('loses its mark when the file is edited', async () => {
    const { editor, marker } = marked();
    await marker.show(location, { preview: true, focus: true });
    editor.type();
    expect(editor.decorated).toEqual([]);
  });

  it('is marked when its editor is visible only later', async () => {
    const { editor, marker } = marked();
    window.visibleTextEditors = [];
    await marker.show(location, { preview: true, focus: false });
    window.visibleTextEditors = [editor];
    fake.visible.fire();
    expect(editor.decorated).toHaveLength(1);
  });

  it('is never replaced by a typed character, whatever was shown before', async () => {
    const place = fc.record({ line: fc.nat(30), character: fc.nat(40) });
    const arbitrary = fc.record({ start: place, height: fc.nat(20), focus: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(arbitrary, { minLength: 1, maxLength: 8 }), async (all) => {
        const { editor, marker } = marked();
        const replaced: number[] = [];
        const listener = fake.edits.event(({ contentChanges }) => {
          for (const { range: cut } of contentChanges) {
            replaced.push(cut.isEqual(new Range(cut.start, cut.start)) ? 0 : 1);
          }
        });
        for (const { start, height, focus } of all) {
          const end = { line: start.line + height, character: start.character + 1 };
          await marker.show({ uri: URI, range: { start, end } }, { preview: true, focus });
          editor.type();
        }
        listener.dispose();
        marker.dispose();
        expect(replaced).toEqual(all.map(() => 0));
      }),
    );
  });
});
