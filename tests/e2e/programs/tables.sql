-- SPDX-License-Identifier: BSD-2-Clause
create table numbers(id integer primary key, square integer, name text);
with recursive n(x) as (select 1 union all select x + 1 from n where x < 5000) insert into numbers select x, x * x, 'number ' || x from n;
create index names on numbers(name);
pragma journal_mode = wal;
begin;
update numbers set square = -square where id % 2;
savepoint s;
delete from numbers where id > 100;
rollback to s;
commit;
select count(*), sum(square), max(name) from numbers;
vacuum;
pragma integrity_check;
