import { Check, ChevronDown, X } from 'lucide-react';
import {
  type Dispatch,
  type KeyboardEvent,
  type SetStateAction,
  type UIEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { type Translate, useT } from '#/lib/i18n';
import type { ControlAttributes } from './field';
import type { Icon } from './icon';

export interface PickerOption {
  readonly id: string;
  readonly label: string;
  /** Secondary text in grey: username, address, protocol. */
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
  /** Loaded options for the current search. */
  readonly options: readonly PickerOption[];
  readonly total: number;
  readonly state: 'loading' | 'ready' | 'failed';
  readonly onSearch: (text: string) => void;
  readonly onOpenChange: (open: boolean) => void;
  /** Called when the list is scrolled to within 600 px of its end. */
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

function PickedChips({
  chosen,
  icon,
  disabled,
  onRemove,
}: Pick<PickerProps, 'chosen' | 'icon' | 'disabled'> & {
  readonly onRemove: (option: PickerOption) => void;
}) {
  return chosen.map((option) => (
    <PickedChip
      key={option.id}
      option={option}
      icon={icon}
      disabled={disabled}
      onRemove={() => onRemove(option)}
    />
  ));
}

/** Handles the keys of the open or closed list. */
function listKeys(
  options: readonly PickerOption[],
  open: boolean,
  actions: {
    open: () => void;
    close: () => void;
    choose: (option: PickerOption) => void;
    removeLast: () => unknown;
    active: number;
    setActive: Dispatch<SetStateAction<number>>;
  },
) {
  const { active, setActive } = actions;
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
  return { active: Math.min(active, Math.max(0, options.length - 1)), onKeyDown };
}

/** Whether the list is open, and whether it opens upwards because there is no room below. */
function useOpen(disabled: boolean, onChange: (open: boolean) => void) {
  const box = useRef<HTMLDivElement>(null);
  const [open, setOpenState] = useState(false);
  const [upwards, setUpwards] = useState(false);
  const setOpen = (next: boolean) => {
    if (next === open || (next && disabled)) return;
    if (next && box.current) {
      const place = box.current.getBoundingClientRect();
      setUpwards(window.innerHeight - place.bottom < LIST_PX + 40 && place.top > LIST_PX);
    }
    setOpenState(next);
    onChange(next);
  };
  return { box, open, upwards, setOpen };
}

function useScrollTo(id: string | undefined): void {
  useEffect(() => {
    if (id !== undefined) document.getElementById(id)?.scrollIntoView?.({ block: 'nearest' });
  }, [id]);
}

/** The text below the options: loading, failed, none, or how many are loaded; null when all are loaded. */
function footText({ state, options, total }: PickerProps, t: Translate): string | null {
  if (state === 'loading') return t('ui:picker.loading');
  if (state === 'failed') return t('ui:picker.failed');
  if (options.length === 0) return t('ui:picker.none');
  return options.length < total ? t('ui:picker.loaded', { loaded: options.length, count: total }) : null;
}

interface OptionListProps extends PickerProps {
  /** Beginning of the ids of the list and its options. */
  readonly base: string;
  readonly upwards: boolean;
  readonly active: number;
  readonly isChosen: (option: PickerOption) => boolean;
  readonly onPoint: (index: number) => void;
  readonly onChoose: (option: PickerOption) => void;
}

function OptionList(props: OptionListProps) {
  const { base, label, multiple, state, options, isChosen } = props;
  const foot = footText(props, useT());
  const nearEnd = (event: UIEvent<HTMLUListElement>) => {
    const list = event.currentTarget;
    if (list.scrollHeight - list.scrollTop - list.clientHeight < NEAR_END_PX) props.onNearEnd();
  };
  return (
    <div
      className={`pt-popover absolute inset-x-0 overflow-hidden! ${props.upwards ? 'bottom-full mb-1' : 'top-full mt-1'}`}
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
          // The combobox handles the keys, as the ARIA pattern requires.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <li
            key={option.id}
            id={`${base}-${option.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={isChosen(option)}
            className="pt-item"
            data-focused={index === props.active || undefined}
            data-selected={isChosen(option) || undefined}
            onMouseDown={(event) => event.preventDefault()}
            onMouseMove={() => props.onPoint(index)}
            onClick={() => props.onChoose(option)}
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
  );
}

function membership(chosen: readonly PickerOption[]) {
  return {
    isChosen: ({ id }: PickerOption) => chosen.some((option) => option.id === id),
    without: ({ id }: PickerOption) => chosen.filter((option) => option.id !== id),
  };
}

/** Searchable choice of one or many options, loaded page by page. A combobox with `aria-activedescendant`. */
export function Picker(props: PickerProps) {
  const { control, label, multiple, chosen, onChange, options, disabled = false } = props;
  const t = useT();
  const base = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const search = (words: string) => {
    setText(words);
    props.onSearch(words);
  };
  const { box, open, upwards, setOpen } = useOpen(disabled, (next) => {
    setActive(0);
    props.onOpenChange(next);
    if (!next) search('');
  });
  const { isChosen, without } = membership(chosen);
  const choose = (option: PickerOption) => {
    if (!multiple) {
      onChange([option]);
      setOpen(false);
    } else onChange(isChosen(option) ? without(option) : [...chosen, option]);
    search('');
  };
  const remove = (option: PickerOption) => {
    onChange(without(option));
    input.current?.focus();
  };
  const keys = listKeys(options, open, {
    active,
    setActive,
    open: () => setOpen(true),
    close: () => setOpen(false),
    choose,
    removeLast: () => chosen.length > 0 && !disabled && onChange(chosen.slice(0, -1)),
  });
  const activeOption = open && options[keys.active] ? `${base}-${options[keys.active]?.id}` : undefined;
  useScrollTo(activeOption);
  const single = multiple ? undefined : chosen[0];
  return (
    <div
      ref={box}
      className="relative"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      {/* The click only enlarges the target of the input inside. */}
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
        {multiple && <PickedChips {...props} onRemove={remove} />}
        <input
          {...control}
          ref={input}
          role="combobox"
          aria-label={label}
          aria-expanded={open}
          aria-controls={open ? `${base}-list` : undefined}
          aria-autocomplete="list"
          aria-activedescendant={activeOption}
          autoComplete="off"
          spellCheck={false}
          disabled={disabled}
          className="h-5 min-w-16 grow basis-16 bg-transparent outline-none! [box-shadow:none]!"
          placeholder={
            chosen.length === 0 ? (props.placeholder ?? t('ui:picker.choose')) : single ? undefined : ''
          }
          value={open || !single ? text : single.label}
          onChange={(event) => {
            search(event.target.value);
            setActive(0);
            setOpen(true);
          }}
          onKeyDown={keys.onKeyDown}
        />
        <ChevronDown className="pointer-events-none absolute right-2 text-ink-3" aria-hidden />
      </div>
      {open && (
        <OptionList
          {...props}
          base={base}
          upwards={upwards}
          active={keys.active}
          isChosen={isChosen}
          onPoint={setActive}
          onChoose={choose}
        />
      )}
    </div>
  );
}
