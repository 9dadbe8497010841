import { Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { loadNamespaces } from '#/lib/i18n';
import { Button, IconButton } from '#/ui/button';
import { Card, Definitions } from '#/ui/card';
import { Checkbox, RadioGroup, Segmented, Switch } from '#/ui/choice';
import { confirm, ConfirmHost } from '#/ui/confirm';
import { DateTimeInput } from '#/ui/date-time';
import { Dialog } from '#/ui/dialog';
import { Field, PasswordInput, TextArea, TextInput } from '#/ui/field';
import { MenuButton } from '#/ui/menu';
import { Note } from '#/ui/note';
import { Pager } from '#/ui/pager';
import { Picker, type PickerOption } from '#/ui/picker';
import { Select } from '#/ui/select';
import { ProgressLine, SkeletonLines } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import { Badge, Chip, Count, Status } from '#/ui/status';
import { Table } from '#/ui/table';
import { Tabs } from '#/ui/tabs';
import { toast } from '#/ui/toast';
import { Tree } from '#/ui/tree';

/* Development only: every part in every state, to look at and to run axe on. Its words are samples, not texts of the product. */

const nothing = () => {};
const OPTIONS: readonly PickerOption[] = [
  { id: '1', label: 'root-sh-prod', detail: 'ssh', warn: true },
  { id: '2', label: 'deploy-sh-prod', detail: 'ssh' },
  { id: '3', label: 'dba-sh-prod', detail: 'mysql' },
];

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid content-start gap-2">
      <h2 className="text-meta text-ink-3">{title}</h2>
      {children}
    </section>
  );
}

function Buttons() {
  return (
    <Part title="Buttons">
      {(['primary', 'neutral', 'text', 'link', 'danger', 'danger-solid'] as const).map((kind) => (
        <div key={kind} className="flex flex-wrap gap-2">
          <Button kind={kind} icon={Plus}>
            {kind}
          </Button>
          <Button kind={kind} busy>
            busy
          </Button>
          <Button kind={kind} disabledReason="Not permitted">
            refused
          </Button>
          <IconButton kind={kind} icon={Trash2} label={`${kind} icon`} />
        </div>
      ))}
    </Part>
  );
}

function Fields() {
  const [when, setWhen] = useState('2026-11-20T15:45');
  const [chosen, setChosen] = useState<readonly PickerOption[]>(OPTIONS.slice(0, 2));
  const [protocol, setProtocol] = useState('ssh');
  return (
    <Part title="Fields">
      <Field label="Hostname" help="As in the inventory">
        {(control) => <TextInput {...control} defaultValue="web-prod-sh-014" />}
      </Field>
      <Field label="IP" error="Invalid IP address: 300 is outside 0–255" required>
        {(control) => <TextInput {...control} defaultValue="10.32.4.300" />}
      </Field>
      <Field label="Source">{(control) => <TextInput {...control} value="LDAP" readOnly />}</Field>
      <Field label="Password">{(control) => <PasswordInput {...control} defaultValue="secret" />}</Field>
      <Field label="Comment">{(control) => <TextArea {...control} defaultValue="on call" />}</Field>
      <Field label="Expires">
        {(control) => <DateTimeInput {...control} value={when} onChange={setWhen} />}
      </Field>
      <Field label="Protocol">
        {(control) => (
          <Select
            id={control.id}
            label="Protocol"
            options={['ssh', 'rdp', 'vnc'].map((value) => ({ value, label: value }))}
            value={protocol}
            onChange={setProtocol}
          />
        )}
      </Field>
      <Field label="System users">
        {(control) => (
          <Picker
            control={control}
            label="System users"
            multiple
            chosen={chosen}
            onChange={setChosen}
            options={OPTIONS}
            total={112}
            state="ready"
            onSearch={nothing}
            onOpenChange={nothing}
            onNearEnd={nothing}
          />
        )}
      </Field>
    </Part>
  );
}

function Choices() {
  const [mode, setMode] = useState('auto');
  return (
    <Part title="Choices">
      <div className="flex flex-wrap gap-4">
        <Checkbox defaultChecked>on</Checkbox>
        <Checkbox indeterminate>part</Checkbox>
        <Checkbox>off</Checkbox>
        <Checkbox disabled>disabled</Checkbox>
      </div>
      <RadioGroup
        name="mode"
        options={[
          { value: 'auto', label: 'Managed' },
          { value: 'manual', label: 'By hand' },
        ]}
        value={mode}
        onChange={setMode}
      />
      <div className="flex gap-4">
        <Switch defaultChecked>on</Switch>
        <Switch>off</Switch>
        <Switch disabled>disabled</Switch>
      </div>
      <Segmented
        label="Range"
        options={['Week', 'Month', 'Quarter'].map((label) => ({ value: label, label }))}
        value="Week"
        onChange={nothing}
      />
    </Part>
  );
}

function Marks() {
  return (
    <Part title="Badges, states, notes">
      <div className="flex flex-wrap gap-2">
        {(['neutral', 'ok', 'warn', 'danger', 'info'] as const).map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
        <Chip mono>ssh/22</Chip>
        <Chip tone="accent">protocol: ssh</Chip>
        <Chip tone="warn">root</Chip>
        <Count>12</Count>
      </div>
      <div className="flex flex-wrap gap-4">
        <Status tone="ok">Reachable</Status>
        <Status tone="danger">Unreachable</Status>
        <Status tone="warn">Slow</Status>
        <Status tone="unknown">Unknown</Status>
      </div>
      {(['info', 'ok', 'warn', 'danger'] as const).map((tone) => (
        <Note key={tone} tone={tone}>
          Changes apply at the next sign-in
        </Note>
      ))}
    </Part>
  );
}

function Overlays() {
  const [open, setOpen] = useState(false);
  return (
    <Part title="Overlays">
      <div className="flex flex-wrap gap-2">
        <MenuButton
          label="Node"
          entries={[
            { id: 'new', label: 'New node', icon: Plus },
            { id: 'no', label: 'Rename', disabledReason: 'The root node is fixed' },
            { id: 'delete', label: 'Delete node', icon: Trash2, danger: true, separated: true },
          ]}
        >
          Menu
        </MenuButton>
        <Button onClick={() => setOpen(true)}>Dialog</Button>
        <Button
          onClick={() =>
            void confirm({
              title: 'Terminate 3 sessions?',
              effect: 'Users are disconnected at once. Recordings are kept and sealed.',
              names: ['zhaomin → mysql-order-01', 'wangxf → web-prod-sh-014', 'sunyue → redis-session-03'],
              confirmLabel: 'Terminate 3 sessions',
              danger: true,
            })
          }
        >
          Confirm
        </Button>
        <Button onClick={() => toast({ tone: 'ok', text: '3 assets updated' })}>Toast</Button>
        <Button onClick={() => toast({ tone: 'error', text: '2 assets failed', detail: 'req 4f1c-88a2' })}>
          Error toast
        </Button>
      </div>
      <Dialog
        isOpen={open}
        title="Node"
        onClose={() => setOpen(false)}
        footer={<Button onClick={() => setOpen(false)}>Close</Button>}
      >
        <Field label="Name" layout="above">
          {(control) => <TextInput {...control} />}
        </Field>
      </Dialog>
    </Part>
  );
}

interface Sample {
  readonly id: string;
  readonly name: string;
}

const ROWS: readonly Sample[] = ['web-prod-sh-014', 'web-prod-sh-015', 'legacy-ftp-01'].map((name) => ({
  id: name,
  name,
}));

function Data() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['web-prod-sh-015']));
  const [tab, setTab] = useState('detail');
  const columns = [{ key: 'name', label: 'Hostname', sortable: true, cell: (row: Sample) => row.name }];
  return (
    <Part title="Data">
      <div className="pt-card overflow-hidden">
        <Table
          label="Assets"
          columns={columns}
          rows={ROWS}
          rowId={(row) => row.id}
          rowName={(row) => row.name}
          order="-name"
          onOrder={nothing}
          selection={{ chosen, onChange: setChosen }}
          isInactive={(row) => row.name.startsWith('legacy')}
          actions={() => [
            { id: 'update', label: 'Update' },
            { id: 'delete', label: 'Delete', danger: true },
          ]}
        />
        <Pager count={1240} page={3} size={15} onPage={nothing} onSize={nothing} />
      </div>
      <div className="pt-card overflow-hidden">
        <Table
          label="Loading"
          columns={columns}
          rows={undefined}
          rowId={(row) => row.id}
          rowName={(row) => row.name}
        />
      </div>
      <ProgressLine busy />
      <SkeletonLines lines={2} />
      <div className="flex h-40 flex-col">
        <Tree
          label="Nodes"
          items={[
            { id: '1', label: 'East', parentId: null, isBranch: true, count: 4812 },
            { id: '1:1', label: 'Production', parentId: '1', isBranch: true, count: 1240 },
            { id: '1:2', label: 'Test', parentId: '1', isBranch: false, count: 318 },
          ]}
          expanded={new Set(['1'])}
          loading={new Set()}
          selected="1:1"
          onExpand={nothing}
          onSelect={nothing}
        />
      </div>
      <Tabs
        label="Sides"
        selected={tab}
        onSelect={setTab}
        tabs={[
          {
            id: 'detail',
            label: 'Detail',
            content: (
              <Definitions
                items={[
                  { label: 'IP', value: '10.32.8.11' },
                  { label: 'Domain', value: null },
                ]}
              />
            ),
          },
          { id: 'users', label: 'System users', count: 4, content: <p>4</p> },
        ]}
      />
    </Part>
  );
}

function States() {
  return (
    <Part title="States">
      {(['empty', 'no-match', 'forbidden', 'licence'] as const).map((drawing) => (
        <Card key={drawing} title={drawing}>
          <StateView
            drawing={drawing}
            title="No assets yet"
            actions={<Button kind="primary">Create asset</Button>}
          >
            Assets are hosts that people sign in to. Create one, then grant access.
          </StateView>
        </Card>
      ))}
      <Card title="error">
        <FailedState
          title="The list did not load"
          message="No answer within 60 s."
          requestId="4f1c88a2-0000"
          onRetry={nothing}
        />
      </Card>
    </Part>
  );
}

export function Gallery() {
  const [ready, setReady] = useState(false);
  useEffect(() => {
    void loadNamespaces(['ui']).then(() => setReady(true));
  }, []);
  if (!ready) return null;
  return (
    <main className="p-6">
      <h1 className="mb-4 text-title">Gallery</h1>
      <div className="grid gap-6 lg:grid-cols-3">
        <Buttons />
        <Fields />
        <div className="grid content-start gap-6">
          <Choices />
          <Marks />
          <Overlays />
        </div>
        <div className="lg:col-span-2">
          <Data />
        </div>
        <States />
      </div>
      <ConfirmHost />
    </main>
  );
}
