import { Search, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { type Translate, useT } from '#/lib/i18n';

/** The initial conditions are announced after this time, in ms (specification, section 9). */
export const INITIAL_EMIT_MS = 400;

export interface SearchField {
  readonly key: string;
  readonly label: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
}

interface Suggestion {
  readonly id: string;
  readonly label: string;
  readonly detail: string;
  readonly choose: () => void;
}

interface Chip {
  readonly key: string;
  readonly text: string;
}

type Conditions = Readonly<Record<string, string>>;

/** Announces the initial conditions once, after `INITIAL_EMIT_MS`. */
function useInitialEmit(value: Conditions, onChange: (value: Conditions) => void): void {
  const latest = useRef({ value, onChange });
  useEffect(() => {
    latest.current = { value, onChange };
  });
  useEffect(() => {
    const timer = setTimeout(() => latest.current.onChange(latest.current.value), INITIAL_EMIT_MS);
    return () => clearTimeout(timer);
  }, []);
}

function chipsOf(fields: readonly SearchField[], value: Conditions, t: Translate): readonly Chip[] {
  return Object.entries(value).map(([key, condition]) => {
    const field = fields.find((candidate) => candidate.key === key);
    const label = key === 'search' ? t('resource:search.text') : (field?.label ?? key);
    const choice = field?.choices?.find(({ value: own }) => own === condition);
    return { key, text: `${label}: ${choice?.label ?? condition}` };
  });
}

interface SuggestionContext {
  readonly fields: readonly SearchField[];
  readonly asked: SearchField | null;
  readonly text: string;
  readonly t: Translate;
  readonly add: (key: string, condition: string) => void;
  readonly ask: (field: SearchField) => void;
}

/** The choices of the field whose value is asked for; otherwise a free text search and all fields. */
function suggestionsFor({ fields, asked, text, t, add, ask }: SuggestionContext): readonly Suggestion[] {
  if (asked) {
    const choices = asked.choices ?? [];
    return choices
      .filter((choice) => choice.label.toLowerCase().includes(text.toLowerCase()))
      .map((choice) => ({
        id: `${asked.key}-${choice.value}`,
        label: choice.label,
        detail: '',
        choose: () => add(asked.key, choice.value),
      }));
  }
  const isBlank = text.trim() === '';
  const everywhere = {
    id: 'search',
    label: text,
    detail: t('resource:search.everywhere'),
    choose: () => add('search', text),
  };
  const byField = fields.map((field) => ({
    id: field.key,
    label: field.label,
    detail: isBlank || field.choices ? '' : text,
    choose: () => (isBlank || field.choices ? ask(field) : add(field.key, text)),
  }));
  return isBlank ? byField : [everywhere, ...byField];
}

interface SearchKeys {
  readonly open: boolean;
  readonly asked: SearchField | null;
  readonly text: string;
  readonly suggestions: readonly Suggestion[];
  /** Index of the active suggestion. */
  readonly at: number;
  readonly add: (key: string, condition: string) => void;
  readonly remove: (key: string) => void;
  readonly lastKey: string | undefined;
  readonly setOpen: (open: boolean) => void;
  readonly setActive: (index: number) => void;
  readonly setAsked: (field: SearchField | null) => void;
}

/** What each key does in the search field. */
function searchKeys(state: SearchKeys): Partial<Record<string, (event: KeyboardEvent) => void>> {
  const { open, asked, text, suggestions, at, add, setOpen, setActive, setAsked } = state;
  const move = (step: number) => (event: KeyboardEvent) => {
    event.preventDefault();
    setOpen(true);
    if (suggestions.length > 0) setActive((at + step + suggestions.length) % suggestions.length);
  };
  return {
    ArrowDown: move(1),
    ArrowUp: move(-1),
    Enter: (event) => {
      event.preventDefault();
      if (asked && !asked.choices) add(asked.key, text);
      else if (open && suggestions[at]) suggestions[at].choose();
      else if (text.trim() !== '') add('search', text);
    },
    Escape: (event) => {
      if (open || asked) event.stopPropagation();
      setOpen(false);
      setAsked(null);
    },
    Backspace: () => {
      if (text !== '') return;
      if (asked) setAsked(null);
      else if (state.lastKey !== undefined) state.remove(state.lastKey);
    },
  };
}

function Chips({
  chips,
  onRemove,
}: {
  readonly chips: readonly Chip[];
  readonly onRemove: (key: string) => void;
}) {
  const t = useT();
  return chips.map((chip) => (
    <span key={chip.key} className="pt-chip" data-tone="accent">
      <span className="truncate">{chip.text}</span>
      <button
        type="button"
        className="pt-chip-remove -mr-1 grid size-5 place-items-center rounded-1"
        aria-label={t('ui:picker.remove', { label: chip.text })}
        onClick={() => onRemove(chip.key)}
      >
        <X className="size-3!" aria-hidden />
      </button>
    </span>
  ));
}

function SuggestionList({
  base,
  suggestions,
  at,
  onPoint,
}: {
  /** Beginning of the ids of the list and its options. */
  readonly base: string;
  readonly suggestions: readonly Suggestion[];
  readonly at: number;
  readonly onPoint: (index: number) => void;
}) {
  const t = useT();
  return (
    <ul
      id={`${base}-list`}
      role="listbox"
      aria-label={t('resource:search.label')}
      className="pt-popover absolute inset-x-0 top-full z-(--z-menu) mt-1 max-h-72 p-1"
    >
      {suggestions.map((suggestion, index) => (
        // The combobox handles the keys, as the ARIA pattern requires.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
        <li
          key={suggestion.id}
          id={`${base}-${suggestion.id}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className="pt-item"
          data-focused={index === at || undefined}
          onMouseDown={(event) => event.preventDefault()}
          onMouseMove={() => onPoint(index)}
          onClick={suggestion.choose}
        >
          <span className="min-w-0 grow truncate">{suggestion.label}</span>
          {suggestion.detail !== '' && (
            <span className="max-w-32 truncate text-meta text-ink-3">{suggestion.detail}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** One search field; conditions become chips “label: value”. Free text searches everywhere. */
export function TagSearch({
  fields,
  value,
  onChange,
}: {
  readonly fields: readonly SearchField[];
  readonly value: Readonly<Record<string, string>>;
  readonly onChange: (value: Readonly<Record<string, string>>) => void;
}) {
  const t = useT();
  const base = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  /** The field whose value is being typed or chosen. */
  const [asked, setAsked] = useState<SearchField | null>(null);
  useInitialEmit(value, onChange);

  const add = (key: string, condition: string) => {
    if (condition.trim() !== '') onChange({ ...value, [key]: condition.trim() });
    setText('');
    setAsked(null);
    setOpen(false);
    input.current?.focus();
  };
  const remove = (key: string) => {
    const { [key]: _gone, ...rest } = value;
    onChange(rest);
    input.current?.focus();
  };

  const ask = (field: SearchField) => {
    setAsked(field);
    setText('');
    setActive(0);
    input.current?.focus();
  };
  const suggestions = suggestionsFor({ fields, asked, text, t, add, ask });
  const at = Math.min(active, suggestions.length - 1);
  const chips = chipsOf(fields, value, t);

  const keys = searchKeys({
    open,
    asked,
    text,
    suggestions,
    at,
    add,
    setOpen,
    setActive,
    setAsked,
    remove,
    lastKey: chips.at(-1)?.key,
  });

  return (
    <div
      className="relative w-32 min-w-0 grow sm:max-w-72"
      role="search"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <div className="pt-field pt-field-quiet flex flex-wrap items-center gap-1 py-[3px]!">
        <Search className="text-ink-3" aria-hidden />
        <Chips chips={chips} onRemove={remove} />
        {asked && <span className="pt-chip">{asked.label}:</span>}
        <input
          ref={input}
          role="combobox"
          aria-label={t('resource:search.label')}
          aria-expanded={open}
          aria-controls={open ? `${base}-list` : undefined}
          aria-activedescendant={open && suggestions[at] ? `${base}-${suggestions[at].id}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          className="h-5 min-w-20 grow basis-20 bg-transparent outline-none! [box-shadow:none]!"
          placeholder={
            chips.length > 0 || asked ? t('resource:search.more') : t('resource:search.placeholder')
          }
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
            setOpen(true);
          }}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onKeyDown={(event) => keys[event.key]?.(event)}
        />
      </div>
      {open && suggestions.length > 0 && (
        <SuggestionList base={base} suggestions={suggestions} at={at} onPoint={setActive} />
      )}
    </div>
  );
}
