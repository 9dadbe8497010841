import { Search, X } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useT } from '#/lib/i18n';

/** The conditions that are there at first are told after this time (specification, section 9). */
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
  /** A field whose value is being asked for. */
  const [asked, setAsked] = useState<SearchField | null>(null);
  const latest = useRef({ value, onChange });
  useEffect(() => {
    latest.current = { value, onChange };
  });
  useEffect(() => {
    const timer = setTimeout(() => latest.current.onChange(latest.current.value), INITIAL_EMIT_MS);
    return () => clearTimeout(timer);
  }, []);

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

  const suggestions: Suggestion[] = [];
  if (asked?.choices) {
    for (const choice of asked.choices) {
      if (!choice.label.toLowerCase().includes(text.toLowerCase())) continue;
      suggestions.push({
        id: `${asked.key}-${choice.value}`,
        label: choice.label,
        detail: '',
        choose: () => add(asked.key, choice.value),
      });
    }
  } else if (!asked) {
    if (text.trim() !== '') {
      suggestions.push({
        id: 'search',
        label: text,
        detail: t('resource:search.everywhere'),
        choose: () => add('search', text),
      });
    }
    for (const field of fields) {
      suggestions.push({
        id: field.key,
        label: field.label,
        detail: text.trim() === '' || field.choices ? '' : text,
        choose: () => {
          if (text.trim() !== '' && !field.choices) add(field.key, text);
          else {
            setAsked(field);
            setText('');
            setActive(0);
            input.current?.focus();
          }
        },
      });
    }
  }
  const at = Math.min(active, suggestions.length - 1);
  const chips = Object.entries(value).map(([key, condition]) => {
    const field = fields.find((one) => one.key === key);
    const label = key === 'search' ? t('resource:search.text') : (field?.label ?? key);
    const shown = field?.choices?.find((choice) => choice.value === condition)?.label ?? condition;
    return { key, text: `${label}: ${shown}` };
  });

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        event.preventDefault();
        setOpen(true);
        if (suggestions.length > 0) {
          setActive((at + (event.key === 'ArrowDown' ? 1 : -1) + suggestions.length) % suggestions.length);
        }
        break;
      case 'Enter': {
        event.preventDefault();
        if (asked && !asked.choices) add(asked.key, text);
        else if (open && suggestions[at]) suggestions[at].choose();
        else if (text.trim() !== '') add('search', text);
        break;
      }
      case 'Escape':
        if (open || asked) event.stopPropagation();
        setOpen(false);
        setAsked(null);
        break;
      case 'Backspace':
        if (text === '' && asked) setAsked(null);
        else if (text === '') {
          const last = chips.at(-1);
          if (last) remove(last.key);
        }
        break;
      default:
    }
  };

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
        {chips.map((chip) => (
          <span key={chip.key} className="pt-chip" data-tone="accent">
            <span className="truncate">{chip.text}</span>
            <button
              type="button"
              className="pt-chip-remove -mr-1 grid size-5 place-items-center rounded-1"
              aria-label={t('ui:picker.remove', { label: chip.text })}
              onClick={() => remove(chip.key)}
            >
              <X className="size-3!" aria-hidden />
            </button>
          </span>
        ))}
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
          onKeyDown={onKeyDown}
        />
      </div>
      {open && suggestions.length > 0 && (
        <ul
          id={`${base}-list`}
          role="listbox"
          aria-label={t('resource:search.label')}
          className="pt-popover absolute inset-x-0 top-full z-(--z-menu) mt-1 max-h-72 p-1"
        >
          {suggestions.map((suggestion, index) => (
            // Keys are handled by the combobox, as the ARIA pattern says.
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
              onMouseMove={() => setActive(index)}
              onClick={suggestion.choose}
            >
              <span className="min-w-0 grow truncate">{suggestion.label}</span>
              {suggestion.detail !== '' && (
                <span className="max-w-32 truncate text-meta text-ink-3">{suggestion.detail}</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
