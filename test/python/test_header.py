"""The declarations for ctypes against the header, read by pycparser, and against what a C compiler says of it."""
import ctypes
import json
import os
import re
import subprocess

import trammel._signatures as declared

from common import SOURCE, folder, needs

HEADER = SOURCE / "include" / "trammel" / "trammel.h"
POINTED = {"trm_setting": declared.Setting, "trm_file": declared.File, "trm_write_def": declared.WriteDef,
           "trm_run_def": declared.RunDef, "trm_import_def": declared.ImportDef, "trm_emit_def": declared.EmitDef,
           "trm_sweep_def": declared.SweepDef, "trm_plot_def": declared.PlotDef, "trm_scene_def": declared.SceneDef,
           "trm_deal": declared.Deal,
           "trm_callbacks": declared.Callbacks, "sig_atomic_t": ctypes.c_int}
PLAIN = {"int": ctypes.c_int, "double": ctypes.c_double, "long": ctypes.c_long, "size_t": ctypes.c_size_t, "trm_status": ctypes.c_int,
         "trm_notation": ctypes.c_int, "trm_keep": ctypes.c_int, "trm_matrix": ctypes.c_int, "sig_atomic_t": ctypes.c_int, "trm_choice": declared.Choice,
         "void": None}


def tree():
    """The header without what it includes."""
    from pycparser import CParser
    text = re.sub(r'#\s*ifdef __cplusplus.*?#\s*endif', "", HEADER.read_text(), flags=re.DOTALL)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL).replace("TRM_API", "")
    text = re.sub(r"//.*$|^\s*#.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"static inline .*?\n\}\n", "", text, flags=re.DOTALL)
    return CParser().parse("typedef unsigned long size_t; typedef int sig_atomic_t;" + text, "trammel.h")


def name_of(node):
    """The plain name of a type."""
    return node.type.names[-1] if hasattr(node.type, "names") else None


def corresponds(node, given, objects):
    """Whether a type of the header is what ctypes was told."""
    from pycparser import c_ast
    if isinstance(node, c_ast.TypeDecl):
        return given is PLAIN[name_of(node)]
    target = node.type
    if isinstance(target, c_ast.FuncDecl):
        return issubclass(given, ctypes._CFuncPtr) and function_matches(target, given._restype_, given._argtypes_, objects)
    if isinstance(target, c_ast.PtrDecl):  # T **: a text of many, or where an object goes
        inner = name_of(target.type)
        return given is ctypes.POINTER(ctypes.c_char_p if inner == "char" else ctypes.c_void_p)
    name = name_of(target)
    if name == "char":
        return given is ctypes.c_char_p
    if name in objects or name == "void":
        return given is ctypes.c_void_p
    if name in POINTED:
        return given is ctypes.POINTER(POINTED[name])
    if name in ("double", "int", "long"):  # arrays are addresses; single numbers that are filled in, pointers
        plain = PLAIN[name]
        return given in (ctypes.c_void_p, ctypes.POINTER(plain))
    return False


def function_matches(function, result, arguments, objects):
    parameters = [p for p in function.args.params if not (hasattr(p.type, "type") and name_of(p.type) == "void" and p.name is None
                                                          and type(p.type).__name__ == "TypeDecl")]
    assert len(parameters) == len(arguments), (len(parameters), len(arguments))
    matches = all(corresponds(p.type, given, objects) for p, given in zip(parameters, arguments))
    return matches and corresponds(function.type, result, objects)


def declarations():
    """({function: its declaration}, {struct: its fields}, names of objects)"""
    from pycparser import c_ast
    functions, structs, objects = {}, {}, set()
    for one in tree().ext:
        if isinstance(one, c_ast.Typedef) and isinstance(one.type.type, c_ast.Struct):
            if one.type.type.decls is None:
                objects.add(one.name)
            else:
                structs[one.name] = {field.name: field.type for field in one.type.type.decls}
        elif isinstance(one, c_ast.Decl) and isinstance(one.type, c_ast.FuncDecl):
            functions[one.name] = one.type
    return functions, structs, objects


@needs("pycparser")
def every_function_is_declared_with_its_types():
    functions, _, objects = declarations()
    assert len(functions) > 60
    assert set(functions) == set(declared.FUNCTIONS), set(functions) ^ set(declared.FUNCTIONS)
    for name, (result, arguments) in declared.FUNCTIONS.items():
        assert function_matches(functions[name], result, arguments, objects), name


@needs("pycparser")
def a_wrong_type_would_be_seen():
    functions, _, objects = declarations()
    result, arguments = declared.FUNCTIONS["trm_run"]
    assert not function_matches(functions["trm_run"], ctypes.c_double, arguments, objects)
    assert not function_matches(functions["trm_run"], result, (ctypes.c_char_p, *arguments[1:]), objects)


@needs("pycparser")
def structs_are_laid_out_as_the_compiler_says():
    _, structs, objects = declarations()
    assert set(structs) == set(declared.STRUCTS), set(structs) ^ set(declared.STRUCTS)
    lines = [f'printf("%s\\"{name}\\": [[\\"\\", %zu]", comma, sizeof({name})); comma = ", ";'
             + "".join(f'printf(", [\\"{field}\\", %zu]", offsetof({name}, {field}));' for field in fields) + 'printf("]");'
             for name, fields in structs.items()]
    program = folder / "layout.c"
    program.write_text("#include <stdio.h>\n#include <trammel/trammel.h>\nint main(void) { const char *comma = \"{\";\n"
                       + "\n".join(lines) + '\nputs("}"); return 0; }\n')
    compiler = os.environ.get("CC", "cc")
    surroundings = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    subprocess.run([compiler, "-c", f"-I{SOURCE}/include", program, "-o", folder / "layout.o"], check=True, env=surroundings)
    subprocess.run([compiler, folder / "layout.o", "-o", folder / "layout"], check=True, env=surroundings)
    found = json.loads(subprocess.run([folder / "layout"], check=True, capture_output=True, text=True, env=surroundings).stdout)
    for name, kind in declared.STRUCTS.items():
        own = [["", ctypes.sizeof(kind)]] + [[field, getattr(kind, field).offset] for field, _ in kind._fields_]
        assert own == found[name], (name, own, found[name])
        for field, given in kind._fields_:
            assert type(structs[name][field]).__name__ == "ArrayDecl" or corresponds(structs[name][field], given, objects), (name, field)


@needs("pycparser")
def enumerators_are_those_of_the_header():
    text = HEADER.read_text()
    for name, value in re.findall(r"TRM_(\w+) = (\d+)", text):
        if hasattr(declared, name):
            assert getattr(declared, name) == int(value), name
    assert [declared.TEXT, declared.LATEX, declared.MATHML] == [0, 1, 2] and "{ TRM_TEXT, TRM_LATEX, TRM_MATHML }" in text
    matrices = re.search(r"typedef enum \{([^}]*)\} trm_matrix;", text)[1]
    listed = re.findall(r"^\s*TRM_(\w+)", matrices, re.MULTILINE)
    assert [name.upper().replace("G_OFFSET", "G") for name in listed] == [name.upper() for name in declared.MATRICES], listed
    assert "{ TRM_KEEP_NOTHING, TRM_KEEP_PLOTS, TRM_KEEP_PAGE, TRM_KEEP_COLUMNS }" in text
    assert [declared.KEEP_NOTHING, declared.KEEP_PLOTS, declared.KEEP_PAGE, declared.KEEP_COLUMNS] == [0, 1, 2, 3]


@needs()
def the_library_is_of_this_version():
    import trammel
    import trammel._library
    numbers = re.findall(r"^#define TRM_VERSION_\w+ (\d+)", HEADER.read_text(), re.MULTILINE)
    assert trammel.__version__ == ".".join(numbers)
    assert trammel._library.VERSION == ".".join(numbers[:2])
