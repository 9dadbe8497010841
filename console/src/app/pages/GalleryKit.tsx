import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { ForbiddenError, HttpError, NoAnswerError } from '#/lib/http/errors';
import type { FieldMeta } from '#/resource/api';
import type { FormValues } from '#/resource/define';
import { FieldControl } from '#/resource/form/FieldControl';
import { AutoCell, BooleanCell, ChipsCell, CopyCell, MonoCell, ShowCell, TimeCell } from '#/resource/format';
import { DeleteCell } from '#/resource/generic/DeleteCell';
import { GenericTable } from '#/resource/generic/GenericTable';
import type { RowSource } from '#/resource/generic/row-source';
import type { RowWrites } from '#/resource/generic/row-writes';
import { EmptyList, FailedList, NoMatchList, OfflineList } from '#/resource/list/ListPlaceholder';
import { TagSearch } from '#/resource/list/tag-search';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { nothing, Part } from './GalleryPart';

interface Plan {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly state_display: string;
  readonly note: unknown;
  readonly parentId?: string;
}

const PLANS: readonly Plan[] = Array.from({ length: 43 }, (_, at) => ({
  id: String(at + 1),
  name: `plan-${String(at + 1).padStart(2, '0')}`,
  state: 'on',
  state_display: at % 3 === 0 ? 'Stopped' : 'Running',
  note: at % 4 === 0 ? { retries: at } : 'nightly',
  ...(at % 5 === 0 ? {} : { parentId: String(at - (at % 5) + 1) }),
}));

/** Rows in memory, so that the gallery needs no server. */
function sampleSource(url: string, fail = false): RowSource<Plan> {
  return {
    url,
    fetch: ({ page, size, order, unpaged, conditions }) => {
      if (fail) return Promise.reject(new NoAnswerError('GET', url, true, null));
      const text = String(conditions['name'] ?? '');
      const rows = PLANS.filter((plan) => plan.name.includes(text));
      if (order !== '') rows.sort((a, b) => a.name.localeCompare(b.name) * (order.startsWith('-') ? -1 : 1));
      return Promise.resolve({
        rows: unpaged ? rows : rows.slice((page - 1) * size, page * size),
        total: rows.length,
      });
    },
  };
}
const SAMPLE_WRITES: RowWrites<Plan> = {
  create: () => Promise.reject(new NoAnswerError('POST', 'gallery', false, null)),
  update: () => Promise.resolve(),
  remove: () => Promise.reject(new NoAnswerError('DELETE', 'gallery', false, null)),
};
const PAGED = sampleSource('gallery/paged');
const TREE = sampleSource('gallery/tree');
const FAILED = sampleSource('gallery/failed', true);
const COLUMNS = [
  { key: 'name', label: 'Name', sortable: true },
  { key: 'state', label: 'State' },
  { key: 'note', label: 'Note', editable: true },
];

function meta(label: string, type = 'string', more: Partial<FieldMeta> = {}): FieldMeta {
  return { type, required: false, read_only: false, label, max_length: 64, ...more };
}
const choices = (count: number) =>
  Array.from({ length: count }, (_, value) => ({
    value: String(value),
    display_name: `Choice ${value + 1}`,
  }));
const FIELDS: Readonly<Record<string, FieldMeta>> = {
  name: meta('Name', 'string', { required: true, help_text: 'Unique in the organization' }),
  email: meta('Email', 'email'),
  level: meta('Four choices', 'choice', { choices: choices(4) }),
  platform: meta('Five choices', 'choice', { choices: choices(5) }),
  actions: meta('Several', 'multiple choice', { choices: choices(3) }),
  notes: meta('Without limit', 'string', { max_length: undefined }),
  token: meta('Write only', 'string', { write_only: true }),
  priority: meta('Priority', 'integer', { min_value: 1, max_value: 100 }),
  is_active: meta('Active', 'boolean'),
  date_expired: meta('Expires', 'datetime'),
  day: meta('Day', 'date'),
  ips: meta('List', 'list'),
  extra: meta('JSON', 'json'),
  attrs: meta('Nested object', 'nested object', {
    children: { host: meta('Host', 'string', { required: true }), port: meta('Port', 'integer') },
  }),
};

export function FormFields() {
  const form = useForm<FormValues>({ defaultValues: { level: '0', actions: ['1'], ips: ['10.0.0.1'] } });
  return (
    <Part title="Form from metadata">
      <form
        noValidate
        aria-label="Form"
        className="pt-card grid gap-2.5 p-5"
        onSubmit={(event) => void form.handleSubmit(nothing)(event)}
      >
        {Object.entries(FIELDS).map(([name, field]) => (
          <FieldControl
            key={name}
            name={name}
            meta={field}
            spec={{}}
            form={form.control}
            context={{ mode: 'create', values: {} }}
          />
        ))}
        <div className="flex gap-2">
          <Button kind="primary" type="submit">
            Check
          </Button>
          <Button
            onClick={() => form.setError('attrs.host', { type: 'server', message: 'Refused by the server' })}
          >
            Server error
          </Button>
        </div>
      </form>
    </Part>
  );
}

export function GenericTables() {
  const dialog = [
    { name: 'name', meta: meta('Name', 'string', { required: true }) },
    { name: 'state', meta: meta('State') },
  ];
  return (
    <Part title="Generic table: pages, tree, failed">
      <GenericTable
        label="Plans"
        noun="plan"
        source={PAGED}
        columns={COLUMNS}
        rowName={(row) => row.name}
        writes={SAMPLE_WRITES}
        dialog={dialog}
        search={[{ key: 'name', label: 'Plan name' }]}
        selectable
      />
      <GenericTable
        label="Tree"
        noun="plan"
        source={TREE}
        columns={COLUMNS.slice(0, 2)}
        rowName={(row) => row.name}
        paginated={false}
        tree={{}}
      />
      <GenericTable
        label="Failed"
        noun="plans"
        source={FAILED}
        columns={COLUMNS}
        rowName={(row) => row.name}
        searchInAddress={false}
      />
    </Part>
  );
}

export function Cells() {
  const [now] = useState(() => new Date().toISOString());
  const cells = {
    text: <AutoCell row={{ a: 'web-1' }} name="a" meta={undefined} />,
    missing: <AutoCell row={{}} name="a" meta={undefined} />,
    display: <AutoCell row={{ a: 'on', a_display: 'Running' }} name="a" meta={undefined} />,
    mono: <MonoCell value="10.32.8.11" />,
    time: <TimeCell value={now} />,
    exact: <TimeCell value={now} exact />,
    yes: <BooleanCell value />,
    no: <BooleanCell value={false} />,
    words: <BooleanCell value inWords />,
    chips: <ChipsCell values={['ssh/22', 'rdp/3389', 'vnc/5900']} mono />,
    copy: <CopyCell value="4f1c88a2" />,
    show: <ShowCell load={() => Promise.resolve('shown')} />,
    delete: <DeleteCell deleteUrl="gallery/" value="1" name="li" onDeleted={nothing} />,
    refused: <DeleteCell deleteUrl="gallery/" value="1" name="wang" objects={[]} onDeleted={nothing} />,
  };
  return (
    <Part title="Cells">
      <dl className="pt-card grid grid-cols-[80px_minmax(0,1fr)] gap-x-3 gap-y-1 p-3">
        {Object.entries(cells).map(([name, cell]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">{name}</dt>
            <dd>{cell}</dd>
          </div>
        ))}
      </dl>
    </Part>
  );
}

export function ListParts() {
  const [value, setValue] = useState<Readonly<Record<string, string>>>({ state: 'on' });
  const noun = { many: 'ui:pager.label', what: 'ui:picker.none' };
  const refusal = { status: 403, body: null, requestId: '4f1c88a2-77', method: 'GET', path: 'gallery/' };
  return (
    <Part title="List: search and states">
      <TagSearch
        fields={[
          { key: 'name', label: 'Name' },
          { key: 'state', label: 'State', choices: [{ value: 'on', label: 'Running' }] },
        ]}
        value={value}
        onChange={setValue}
      />
      <Card title="empty">
        <EmptyList noun={noun} actions={<Button kind="primary">Create</Button>} />
      </Card>
      <Card title="no match">
        <NoMatchList
          noun={noun}
          conditions={[{ key: 'state', label: 'State', shown: 'Running', value: 'on' }]}
          onClear={nothing}
          onWiden={nothing}
        />
      </Card>
      <Card title="refused">
        <FailedList error={new ForbiddenError(refusal)} noun={noun} online onRetry={nothing} />
      </Card>
      <Card title="licence needed">
        <FailedList
          error={new HttpError({ ...refusal, body: { code: 'licence_required' } })}
          noun={noun}
          online
          onRetry={nothing}
        />
      </Card>
      <Card title="failed">
        <FailedList error={new HttpError({ ...refusal, status: 500 })} noun={noun} online onRetry={nothing} />
      </Card>
      <Card title="offline">
        <OfflineList noun={noun} onRetry={nothing} />
      </Card>
    </Part>
  );
}
