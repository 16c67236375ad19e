create table a(i integer primary key, k integer, v text);
with recursive c(x) as (select 1 union all select x+1 from c where x<8000) insert into a select x, (x*7919)%10007, hex(x*x) from c;
create index ak on a(k);
select count(*), sum(length(v)) from a where k between 100 and 5000;
select count(*) from a x join a y on y.k=(x.k*3)%10007 where x.i<1500;
select substr(v,1,2) p, count(*) n from a group by p order by n desc limit 5;
