import { Check, ChevronDown, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, type UIEvent, useEffect, useId, useRef, useState } from 'react';
import { useT } from '#/lib/i18n';
import type { ControlAttributes } from './field';
import type { Icon } from './icon';

export interface PickerOption {
  readonly id: string;
  readonly label: string;
  /** Second word in grey: username, address, protocol. */
  readonly detail?: string;
  /** Marks a risky choice on the chip itself. */
  readonly warn?: boolean;
}

export interface PickerProps {
  readonly control: ControlAttributes;
  readonly label: string;
  readonly multiple: boolean;
  readonly chosen: readonly PickerOption[];
  readonly onChange: (chosen: readonly PickerOption[]) => void;
  /** Options for the present search, as many as are loaded. */
  readonly options: readonly PickerOption[];
  readonly total: number;
  readonly state: 'loading' | 'ready' | 'failed';
  readonly onSearch: (text: string) => void;
  readonly onOpenChange: (open: boolean) => void;
  /** The list was scrolled to within 600 px of its end. */
  readonly onNearEnd: () => void;
  readonly disabled?: boolean;
  readonly icon?: Icon;
  readonly placeholder?: string;
}

const NEAR_END_PX = 600;
const LIST_PX = 280;

function PickedChip({
  option,
  icon: IconOf,
  onRemove,
  disabled,
}: {
  readonly option: PickerOption;
  readonly icon?: Icon;
  readonly onRemove: () => void;
  readonly disabled?: boolean;
}) {
  const t = useT();
  return (
    <span className="pt-chip" data-tone={option.warn ? 'warn' : undefined} title={option.label}>
      {IconOf && <IconOf className="size-[13px]!" aria-hidden />}
      <span className="truncate font-medium text-ink-1">{option.label}</span>
      {option.detail !== undefined && <span className="truncate">{option.detail}</span>}
      {!disabled && (
        <button
          type="button"
          className="pt-chip-remove -mr-1 grid size-5 place-items-center rounded-1 hover:text-ink-1"
          aria-label={t('ui:picker.remove', { label: option.label })}
          onClick={onRemove}
        >
          <X className="size-3!" aria-hidden />
        </button>
      )}
    </span>
  );
}

/** Which key does what in the open or closed list. */
function useListKeys(
  options: readonly PickerOption[],
  open: boolean,
  actions: {
    open: () => void;
    close: () => void;
    choose: (option: PickerOption) => void;
    removeLast: () => void;
  },
) {
  const [active, setActive] = useState(0);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const last = options.length - 1;
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        event.preventDefault();
        if (!open) actions.open();
        else setActive((at) => Math.min(last, Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1))));
        break;
      case 'Enter': {
        const option = options[active];
        if (open) event.preventDefault();
        if (open && option) actions.choose(option);
        break;
      }
      case 'Escape':
        if (open) {
          event.preventDefault();
          event.stopPropagation();
          actions.close();
        }
        break;
      case 'Backspace':
        if (event.currentTarget.value === '') actions.removeLast();
        break;
      default:
    }
  };
  return { active: Math.min(active, Math.max(0, options.length - 1)), setActive, onKeyDown };
}

/** Searchable choice of one or many, whose options arrive page by page. A combobox with `aria-activedescendant`. */
export function Picker(props: PickerProps) {
  const { control, label, multiple, chosen, onChange, options, state, disabled = false } = props;
  const t = useT();
  const base = useId();
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [open, setOpenState] = useState(false);
  const [upwards, setUpwards] = useState(false);
  const [text, setText] = useState('');

  const setOpen = (next: boolean) => {
    if (next === open || (next && disabled)) return;
    keys.setActive(0);
    if (next && box.current) {
      const place = box.current.getBoundingClientRect();
      setUpwards(window.innerHeight - place.bottom < LIST_PX + 40 && place.top > LIST_PX);
    }
    setOpenState(next);
    props.onOpenChange(next);
    if (!next) {
      setText('');
      props.onSearch('');
    }
  };
  const isChosen = (option: PickerOption) => chosen.some((one) => one.id === option.id);
  const choose = (option: PickerOption) => {
    if (!multiple) {
      onChange([option]);
      setOpen(false);
    } else if (isChosen(option)) onChange(chosen.filter((one) => one.id !== option.id));
    else onChange([...chosen, option]);
    setText('');
    props.onSearch('');
  };
  const remove = (option: PickerOption) => {
    onChange(chosen.filter((one) => one.id !== option.id));
    input.current?.focus();
  };
  const keys = useListKeys(options, open, {
    open: () => setOpen(true),
    close: () => setOpen(false),
    choose,
    removeLast: () => {
      const lastChosen = chosen.at(-1);
      if (lastChosen && !disabled) onChange(chosen.slice(0, -1));
    },
  });
  const activeId = options[keys.active]?.id;
  useEffect(() => {
    if (open && activeId !== undefined) {
      document.getElementById(`${base}-${activeId}`)?.scrollIntoView?.({ block: 'nearest' });
    }
  }, [open, activeId, base]);
  const single = multiple ? undefined : chosen[0];
  const nearEnd = (event: UIEvent<HTMLUListElement>) => {
    const list = event.currentTarget;
    if (list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_END_PX) props.onNearEnd();
  };
  let foot: ReactNode = null;
  if (state === 'loading') foot = t('ui:picker.loading');
  else if (state === 'failed') foot = t('ui:picker.failed');
  else if (options.length === 0) foot = t('ui:picker.none');
  else if (options.length < props.total) {
    foot = t('ui:picker.loaded', { loaded: options.length, count: props.total });
  }
  return (
    <div
      ref={box}
      className="relative"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      {/* The click only widens the target of the input inside. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
      <div
        className="pt-field flex flex-wrap items-center gap-1 py-[3px]! pr-8!"
        data-open={open || undefined}
        data-disabled={disabled || undefined}
        data-invalid={control['aria-invalid']}
        onClick={() => {
          input.current?.focus();
          setOpen(true);
        }}
      >
        {multiple &&
          chosen.map((option) => (
            <PickedChip
              key={option.id}
              option={option}
              icon={props.icon}
              disabled={disabled}
              onRemove={() => remove(option)}
            />
          ))}
        <input
          {...control}
          ref={input}
          role="combobox"
          aria-label={label}
          aria-expanded={open}
          aria-controls={open ? `${base}-list` : undefined}
          aria-autocomplete="list"
          aria-activedescendant={open && activeId !== undefined ? `${base}-${activeId}` : undefined}
          autoComplete="off"
          spellCheck={false}
          disabled={disabled}
          className="h-5 min-w-16 grow basis-16 bg-transparent outline-none! [box-shadow:none]!"
          placeholder={
            chosen.length === 0 ? (props.placeholder ?? t('ui:picker.choose')) : single ? undefined : ''
          }
          value={open || !single ? text : single.label}
          onChange={(event) => {
            setText(event.target.value);
            props.onSearch(event.target.value);
            keys.setActive(0);
            setOpen(true);
          }}
          onKeyDown={keys.onKeyDown}
        />
        <ChevronDown className="pointer-events-none absolute right-2 text-ink-3" aria-hidden />
      </div>
      {open && (
        <div
          className={`pt-popover absolute inset-x-0 overflow-hidden! ${upwards ? 'bottom-full mb-1' : 'top-full mt-1'}`}
        >
          <ul
            id={`${base}-list`}
            role="listbox"
            aria-label={label}
            aria-multiselectable={multiple || undefined}
            aria-busy={state === 'loading'}
            className="max-h-[280px] overflow-y-auto p-1"
            onScroll={nearEnd}
          >
            {options.map((option, index) => (
              // Keys are handled by the combobox, as the ARIA pattern says.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
              <li
                key={option.id}
                id={`${base}-${option.id}`}
                role="option"
                tabIndex={-1}
                aria-selected={isChosen(option)}
                className="pt-item"
                data-focused={index === keys.active || undefined}
                data-selected={isChosen(option) || undefined}
                onMouseDown={(event) => event.preventDefault()}
                onMouseMove={() => keys.setActive(index)}
                onClick={() => choose(option)}
              >
                <span className="min-w-0 grow truncate">
                  {option.label}
                  {option.detail !== undefined && (
                    <span className={`ml-2 text-meta ${isChosen(option) ? '' : 'text-ink-3'}`}>
                      {option.detail}
                    </span>
                  )}
                </span>
                {isChosen(option) && <Check aria-hidden />}
              </li>
            ))}
          </ul>
          {foot !== null && (
            <p role="status" className="border-t border-line px-3 py-2 text-meta text-ink-3">
              {foot}
            </p>
          )}
        </div>
      )}
    </div>
  );
}
