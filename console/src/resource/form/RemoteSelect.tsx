import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import type { ControlAttributes } from '#/ui/field';
import { Picker, type PickerOption } from '#/ui/picker';
import { fetchPage } from '../api';
import type { RemoteOptions } from '../define';
import { useChosenOptions } from './chosen-options';

/** Options per request (specification, section 9). */
const PAGE = 10;

type RawRow = Record<string, unknown>;

/** Choice among the rows of an endpoint: pages of 10, loaded on scrolling, with search on the server. */
export function RemoteSelect({
  control,
  label,
  remote,
  multiple,
  value,
  onChange,
  disabled,
  placeholder,
}: {
  readonly control: ControlAttributes;
  readonly label: string;
  readonly remote: RemoteOptions;
  readonly multiple: boolean;
  /** Ids. */
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
  readonly disabled?: boolean;
  readonly placeholder?: string;
}) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [picked, setPicked] = useState<ReadonlyMap<string, PickerOption>>(new Map());
  const search = useDeferredValue(text.trim());
  const pages = useInfiniteQuery({
    queryKey: ['options', remote.api, { ...remote.query, ...remote.scope }, search],
    enabled: open,
    initialPageParam: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }) =>
      fetchPage<RawRow>(
        remote.api,
        { ...remote.query, ...remote.scope, offset: pageParam, limit: PAGE, search },
        signal,
      ),
    getNextPageParam: (last, all) => (last.next ? all.length * PAGE : undefined),
  });
  const options = useMemo(
    () => (pages.data?.pages ?? []).flatMap((page) => page.results.map((row) => remote.option(row))),
    [pages.data, remote],
  );
  const seen = useMemo(() => {
    const map = new Map(picked);
    for (const option of options) map.set(option.id, option);
    return map;
  }, [picked, options]);
  const chosen = useChosenOptions(remote, value, seen);
  return (
    <Picker
      control={control}
      label={label}
      multiple={multiple}
      chosen={chosen}
      onChange={(next) => {
        setPicked(new Map(next.map((option) => [option.id, option])));
        onChange(next.map((option) => option.id));
      }}
      options={options}
      total={pages.data?.pages[0]?.count ?? 0}
      state={pages.isError ? 'failed' : pages.isFetching ? 'loading' : 'ready'}
      onSearch={setText}
      onOpenChange={setOpen}
      onNearEnd={() => {
        if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
      }}
      disabled={disabled}
      icon={remote.icon}
      placeholder={placeholder}
    />
  );
}
