import { ChevronDown, ChevronRight, LoaderCircle } from 'lucide-react';
import { type CSSProperties, type DOMAttributes, type KeyboardEvent, useId, useMemo, useState } from 'react';
import type { Icon } from './icon';
import { useRowsInView } from './rows-in-view';

export interface TreeItem {
  readonly id: string;
  readonly label: string;
  readonly parentId: string | null;
  readonly isBranch: boolean;
  readonly count?: number;
  readonly icon?: Icon;
}

/** Dragging, cutting and pasting of items. Rows carry their id in `data-item`, so the handlers can be on the tree. */
export interface TreeMoving {
  readonly isMovable: (id: string) => boolean;
  /** The item that was cut and waits to be pasted. */
  readonly cut: string | null;
  readonly handlers: Pick<
    DOMAttributes<HTMLElement>,
    'onDragStart' | 'onDragOver' | 'onDragLeave' | 'onDragEnd' | 'onDrop'
  >;
  /** A key pressed on an item. True: handled. */
  readonly onKey: (event: KeyboardEvent, id: string) => boolean;
}

/** The state of an item's checkbox. */
export type BoxState = 'on' | 'some' | 'off';

interface FlatItem extends TreeItem {
  readonly depth: number;
  readonly expanded: boolean;
  readonly loading: boolean;
}

const ROW_PX = 28;
const INDENT_PX = 14;

function flatten(
  items: readonly TreeItem[],
  expanded: ReadonlySet<string>,
  loading: ReadonlySet<string>,
): FlatItem[] {
  const children = new Map<string | null, TreeItem[]>();
  const known = new Set(items.map((item) => item.id));
  for (const item of items) {
    const parent = item.parentId !== null && known.has(item.parentId) ? item.parentId : null;
    const siblings = children.get(parent);
    if (siblings) siblings.push(item);
    else children.set(parent, [item]);
  }
  const flat: FlatItem[] = [];
  const visit = (parent: string | null, depth: number) => {
    for (const item of children.get(parent) ?? []) {
      const isOpen = item.isBranch && expanded.has(item.id);
      flat.push({ ...item, depth, expanded: isOpen, loading: loading.has(item.id) });
      if (isOpen) visit(item.id, depth + 1);
    }
  };
  visit(null, 0);
  return flat;
}

/** Key handler: arrows, Home, End and Page keys move, left and right also collapse and expand, Enter and Space select. */
function treeKeys(
  flat: readonly FlatItem[],
  focusIndex: number,
  moveTo: (index: number) => void,
  onExpand: (id: string, open: boolean) => void,
  onSelect: (id: string) => void,
): (event: KeyboardEvent) => void {
  const focused = flat[focusIndex];
  if (!focused) return () => undefined;
  const handled: Partial<Record<string, () => void>> = {
    ArrowDown: () => moveTo(focusIndex + 1),
    ArrowUp: () => moveTo(focusIndex - 1),
    Home: () => moveTo(0),
    End: () => moveTo(flat.length - 1),
    PageDown: () => moveTo(focusIndex + 10),
    PageUp: () => moveTo(focusIndex - 10),
    ArrowRight: () => {
      if (!focused.isBranch) return;
      if (focused.expanded) moveTo(focusIndex + 1);
      else onExpand(focused.id, true);
    },
    ArrowLeft: () => {
      if (focused.expanded) onExpand(focused.id, false);
      else if (focused.parentId !== null) moveTo(flat.findIndex((item) => item.id === focused.parentId));
    },
    Enter: () => onSelect(focused.id),
    ' ': () => onSelect(focused.id),
  };
  return (event) => {
    const handle = handled[event.key];
    if (!handle || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    handle();
  };
}

interface TreeRowProps {
  readonly id: string;
  readonly item: FlatItem;
  readonly top: number;
  readonly isSelected: boolean;
  readonly isFocused: boolean;
  readonly box: BoxState | undefined;
  readonly moving: TreeMoving | undefined;
  readonly onPress: () => void;
  readonly onChoose: () => void;
  readonly onToggle: () => void;
}

const CHECKED = { on: true, some: 'mixed', off: false } as const;

/** The box of an item, for the eye: the item itself says whether it is checked. */
function Box({ state }: { readonly state: BoxState }) {
  return (
    <input
      type="checkbox"
      className="pt-check pointer-events-none mr-1.5"
      aria-hidden
      tabIndex={-1}
      readOnly
      checked={state === 'on'}
      ref={(element) => {
        if (element) element.indeterminate = state === 'some';
      }}
    />
  );
}

function TreeRow(props: TreeRowProps) {
  const { id, item, top, isSelected, isFocused, box, moving, onPress, onChoose, onToggle } = props;
  const isMovable = moving?.isMovable(item.id) ?? false;
  const Chevron = item.loading ? LoaderCircle : item.expanded ? ChevronDown : ChevronRight;
  return (
    // The tree element keeps the focus and handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={id}
      role="treeitem"
      // A press on an item that can be dragged must start the drag; the tree is then the next element to take the focus.
      tabIndex={isMovable ? undefined : -1}
      draggable={isMovable || undefined}
      data-item={item.id}
      data-cut={moving?.cut === item.id || undefined}
      aria-level={item.depth + 1}
      aria-expanded={item.isBranch ? item.expanded : undefined}
      aria-selected={isSelected}
      aria-checked={box === undefined ? undefined : CHECKED[box]}
      className={`absolute inset-x-0 flex h-7 items-center rounded-2 pr-2 data-cut:outline data-cut:outline-dashed data-cut:outline-control-line data-drop:outline-2 data-drop:outline-offset-[-2px] data-drop:outline-accent ${item.depth > 0 ? 'pt-guides' : ''} ${
        isSelected ? 'bg-accent-soft-2 font-medium text-accent' : 'hover:bg-hover'
      } ${isFocused ? 'group-focus-visible:outline-2 group-focus-visible:outline-offset-[-2px] group-focus-visible:outline-focus' : ''}`}
      style={{ top, paddingLeft: 4 + item.depth * INDENT_PX, '--depth': item.depth } as CSSProperties}
      onMouseDown={(event) => {
        if (!isMovable) event.preventDefault();
        onPress();
      }}
      onClick={onChoose}
    >
      {item.isBranch ? (
        // For the pointer only: arrow keys do the same, and a label here would become part of the item's name.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
        <span
          aria-hidden
          data-chevron
          className="grid size-6 flex-none cursor-pointer place-items-center rounded-1 text-ink-3 hover:text-ink-1"
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
        >
          <Chevron className={`size-[14px]! ${item.loading ? 'pt-spin' : ''}`} />
        </span>
      ) : (
        <span className="size-6 flex-none" />
      )}
      {box !== undefined && <Box state={box} />}
      {item.icon && <item.icon className={`size-[15px]! ${isSelected ? '' : 'text-ink-3'}`} aria-hidden />}
      <span className="min-w-0 grow truncate px-1.5" title={item.label}>
        {item.label}
      </span>
      {item.count !== undefined && (
        <span className={`text-meta tabular-nums ${isSelected ? '' : 'text-ink-3'}`}>
          {item.count.toLocaleString('en')}
        </span>
      )}
    </div>
  );
}

/**
 * A tree for thousands of lazily loaded nodes, of which it draws those in view: one tab stop, `aria-activedescendant`, arrows, Home, End, Enter.
 * Moving does not select, because each selection changes the route and loads data. With `boxOf` each item has a box,
 * and selecting an item means ticking it.
 */
export function Tree({
  label,
  items,
  expanded,
  loading,
  selected,
  boxOf,
  moving,
  onExpand,
  onSelect,
}: {
  readonly label: string;
  /** Loaded nodes, in display order within each parent. */
  readonly items: readonly TreeItem[];
  readonly expanded: ReadonlySet<string>;
  readonly loading: ReadonlySet<string>;
  readonly selected: string | null;
  readonly boxOf?: (id: string) => BoxState | undefined;
  readonly moving?: TreeMoving;
  readonly onExpand: (id: string, open: boolean) => void;
  readonly onSelect: (id: string) => void;
}) {
  const base = useId();
  const [focusId, setFocusId] = useState<string | null>(null);
  const flat = useMemo(() => flatten(items, expanded, loading), [items, expanded, loading]);
  const focusIndex = Math.max(
    0,
    flat.findIndex((item) => item.id === (focusId ?? selected)),
  );
  const focused = flat[focusIndex];
  const view = useRowsInView(flat.length, ROW_PX);
  const moveTo = (index: number) => {
    const row = Math.max(0, Math.min(flat.length - 1, index));
    const item = flat[row];
    if (!item) return;
    setFocusId(item.id);
    view.show(row);
  };
  const onKeyDown = treeKeys(flat, focusIndex, moveTo, onExpand, onSelect);
  return (
    <div
      ref={view.box}
      role="tree"
      aria-label={label}
      aria-multiselectable={boxOf !== undefined || undefined}
      tabIndex={0}
      aria-activedescendant={focused ? `${base}-${focused.id}` : undefined}
      className="group min-h-0 grow overflow-y-auto p-1 outline-offset-[-2px]"
      {...moving?.handlers}
      onScroll={view.onScroll}
      onKeyDown={(event) => {
        if (focused && moving?.onKey(event, focused.id)) event.preventDefault();
        else onKeyDown(event);
      }}
    >
      <div className="relative" style={{ height: flat.length * ROW_PX }} role="none">
        {flat.slice(view.first, view.end).map((item, shown) => {
          const row = view.first + shown;
          return (
            <TreeRow
              key={item.id}
              id={`${base}-${item.id}`}
              item={item}
              top={row * ROW_PX}
              isSelected={item.id === selected}
              isFocused={row === focusIndex}
              box={boxOf?.(item.id)}
              moving={moving}
              onPress={() => view.box.current?.focus({ preventScroll: true })}
              onChoose={() => {
                setFocusId(item.id);
                onSelect(item.id);
              }}
              onToggle={() => {
                setFocusId(item.id);
                onExpand(item.id, !item.expanded);
              }}
            />
          );
        })}
      </div>
    </div>
  );
}
