import { describe, expect, it } from 'vitest';
import { dividersOf, panesOf, rectsOf, removePane, setRatio, splitPane, type Layout } from './layout';

const ONE: Layout = { kind: 'pane', id: 'a' };
const three = splitPane(splitPane(ONE, 'a', 'columns', 'b'), 'b', 'rows', 'c');

describe('pane layout', () => {
  it('keeps the order of panes when one is split', () => {
    expect(panesOf(three)).toEqual(['a', 'b', 'c']);
  });

  it('fills the area without gap or overlap', () => {
    const rects = rectsOf(setRatio(three, 'a|b', 0.3));
    expect(rects.get('a')).toEqual({ left: 0, top: 0, width: 0.3, height: 1 });
    expect(rects.get('b')).toEqual({ left: 0.3, top: 0, width: 0.7, height: 0.5 });
    expect(rects.get('c')).toEqual({ left: 0.3, top: 0.5, width: 0.7, height: 0.5 });
    const area = [...rects.values()].reduce((sum, rect) => sum + rect.width * rect.height, 0);
    expect(area).toBeCloseTo(1);
  });

  it('gives the space of a closed pane to its neighbour', () => {
    const left = removePane(three, 'b');
    expect(left && rectsOf(left).get('c')).toEqual({ left: 0.5, top: 0, width: 0.5, height: 1 });
    expect(removePane(ONE, 'a')).toBeNull();
  });

  it('has one divider for each split and keeps both sides visible', () => {
    expect(dividersOf(three).map((divider) => divider.split)).toEqual(['a|b', 'b|c']);
    expect(rectsOf(setRatio(three, 'a|b', 0)).get('a')?.width).toBeGreaterThan(0.1);
    expect(rectsOf(setRatio(three, 'a|b', 2)).get('a')?.width).toBeLessThan(0.9);
  });
});
