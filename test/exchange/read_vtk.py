# SPDX-License-Identifier: BSD-3-Clause
"""Reads .vtu and .vtp files with VTK's own readers and prints their content as JSON.

    read_vtk.py FILE...

Exit status 77 where VTK is not installed.
"""

import json
import sys

try:
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader, vtkXMLStructuredGridReader, vtkXMLUnstructuredGridReader
except ImportError:
    sys.exit(77)


def arrays(data):
    """{name: [type, components, rows]}"""
    found = {}
    for i in range(data.GetNumberOfArrays()):
        array = data.GetArray(i)
        rows = [list(array.GetTuple(k)) for k in range(array.GetNumberOfTuples())]
        found[array.GetName()] = [array.GetDataTypeAsString(), array.GetNumberOfComponents(), rows]
    return found


def read(path):
    reader = {".vtu": vtkXMLUnstructuredGridReader, ".vts": vtkXMLStructuredGridReader}.get(path[-4:], vtkXMLPolyDataReader)()
    if not reader.CanReadFile(path):
        return {"error": "VTK says that it cannot read this"}
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(True))
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    cells = []
    for i in range(data.GetNumberOfCells()):
        points = data.GetCell(i).GetPointIds()
        cells.append([data.GetCellType(i)] + [points.GetId(k) for k in range(points.GetNumberOfIds())])
    return {
        "errors": len(errors),
        "points": [list(data.GetPoint(i)) for i in range(data.GetNumberOfPoints())],
        "precision": data.GetPoints().GetData().GetDataTypeAsString(),
        "cells": cells,
        "point_data": arrays(data.GetPointData()),
        "cell_data": arrays(data.GetCellData()),
        "field_data": arrays(data.GetFieldData()),
    }


json.dump([read(path) for path in sys.argv[1:]], sys.stdout)
