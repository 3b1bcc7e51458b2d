# SPDX-License-Identifier: BSD-2-Clause
# Joins the CSV of `barepmu bench instructions` with uops.info's instructions.xml, by the attribute `string`:
#   python3 join.py instructions.xml SKL here.csv
# Prints name, latency and throughput here, then theirs; of their latencies per pair of operands the longest.
import csv, sys, xml.etree.ElementTree as tree
published = {}
for i in tree.parse(sys.argv[1]).iter('instruction'):
    for m in i.findall("architecture[@name='%s']/measurement" % sys.argv[2]):
        cycles = [float(value) for l in m.iter('latency') for name, value in l.items()
                  if name.startswith(('cycles', 'max_cycles')) and 'bound' not in name]
        published[i.get('string')] = max(cycles, default='?'), m.get('TP_unrolled') or m.get('TP_loop')
for row in csv.DictReader(line for line in open(sys.argv[3]) if line[0] != '#'):
    print(*row.values(), *published.get(row['instruction'], '??'), sep='\t')
