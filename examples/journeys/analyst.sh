# An analyst at the command line: from a table to a model, a report and a program.
# raisin.csv is in the folder of the package exactree.datasets.
exactree describe raisin.csv --target Class
exactree fit raisin.csv --target Class --max-depth 3 --cart -o model.json --plot tree.svg
exactree front raisin.csv --target Class --max-depth 2
exactree tune raisin.csv --target Class --max-depth 2 -o tuned.json
exactree predict tuned.json raisin.csv --append -o predicted.csv
exactree explain tuned.json raisin.csv --rows 1,2
exactree enumerate raisin.csv --target Class --max-depth 2 --count
exactree report tuned.json raisin.csv -o report.html
exactree export tuned.json -o model.sql
exactree show tuned.json --format python
# Three mistakes, and the way out.
exactree fit raisin.csv --target Clas
exactree fit raisin.csv --target Area --max-depth 2
exactree predict model.json tree.svg
