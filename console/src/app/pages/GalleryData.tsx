import { useState } from 'react';
import { Card, Definitions } from '#/ui/card';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { Pager } from '#/ui/pager';
import { Progress } from '#/ui/progress';
import { ProgressLine, SkeletonLines } from '#/ui/skeleton';
import { FailedState, StateView } from '#/ui/states';
import { Badge, Chip, Count, Status } from '#/ui/status';
import { type Density, Table } from '#/ui/table';
import { Tabs } from '#/ui/tabs';
import { Tree } from '#/ui/tree';
import { nothing, Part } from './GalleryPart';

export function Marks() {
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

interface Sample {
  readonly id: string;
  readonly name: string;
}

const ROWS: readonly Sample[] = ['web-prod-sh-014', 'web-prod-sh-015', 'legacy-ftp-01'].map((name) => ({
  id: name,
  name,
}));

const COLUMNS = [{ key: 'name', label: 'Hostname', sortable: true, cell: (row: Sample) => row.name }];

function Tables() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(['web-prod-sh-015']));
  return (
    <>
      <div className="pt-card overflow-hidden">
        <Table
          label="Assets"
          columns={COLUMNS}
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
        <Pager of="assets" count={1240} page={3} size={15} onPage={nothing} onSize={nothing} />
      </div>
      <div className="pt-card overflow-hidden">
        <Table
          label="Loading"
          columns={COLUMNS}
          rows={undefined}
          rowId={(row) => row.id}
          rowName={(row) => row.name}
        />
      </div>
      {(['compact', 'comfortable'] as const satisfies readonly Density[]).map((density) => (
        <div key={density} className="pt-card overflow-hidden">
          <Table
            label={density}
            columns={COLUMNS}
            rows={ROWS.slice(0, 2)}
            rowId={(row) => row.id}
            rowName={(row) => row.name}
            density={density}
            current="web-prod-sh-014"
            actions={() => [
              { id: 'update', label: 'Update', disabledReason: 'Not permitted' },
              { id: 'delete', label: 'Delete', danger: true },
              { id: 'clone', label: 'Clone' },
            ]}
          />
        </div>
      ))}
    </>
  );
}

export function Data() {
  const [tab, setTab] = useState('detail');
  return (
    <Part title="Data">
      <Tables />
      <Pager
        count={95}
        page={2}
        size={10}
        sizes={[10, 20, 30, 40, 50]}
        jumper
        of="steps"
        onPage={nothing}
        onSize={nothing}
      />
      <Progress label="Import" ok={61} failed={4} total={120} />
      <Progress label="Finished" ok={120} failed={0} total={120} />
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

export function States() {
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
