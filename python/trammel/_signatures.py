"""What include/trammel/trammel.h declares, once more for ctypes: enumerators, structs, and the types of all functions.

test/python/header.py holds this against the header. Objects are plain addresses (c_void_p); a text that is returned is
bytes, copied as it comes.
"""
from ctypes import CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_long, c_size_t, c_void_p

OK, EXPECTATION_FAILED, WRONG_MODEL, NO_SOLUTION, IO_ERROR, NO_MEMORY, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
TEXT, LATEX, MATHML = 0, 1, 2
EXPANDED = 4
GRID, ZIP, LHS, SOBOL, RANDOM = 0, 1, 2, 3, 4
KEEP_FINAL, KEEP_SAMPLES, CASE_TIMEOUT = 0, 1, 6
KEEP_NOTHING, KEEP_PLOTS, KEEP_PAGE, KEEP_COLUMNS = 0, 1, 2, 3

Progress = CFUNCTYPE(None, c_void_p, c_double)
Sample = CFUNCTYPE(c_int, c_void_p, POINTER(c_double), c_int)
SweepProgress = CFUNCTYPE(None, c_void_p, c_long, c_long, c_long, c_double)
# of trm_callbacks: context, t, q, then v and what is filled in; arrays are addresses
At = CFUNCTYPE(c_int, c_void_p, c_double, c_void_p, c_void_p)
AtState = CFUNCTYPE(c_int, c_void_p, c_double, c_void_p, c_void_p, c_void_p)
AtStateTwo = CFUNCTYPE(c_int, c_void_p, c_double, c_void_p, c_void_p, c_void_p, c_void_p)
Meaning = CFUNCTYPE(c_char_p, c_void_p, c_int)

MATRICES = ("M", "Q", "A", "b", "C", "G", "g", "M_s", "S", "A_s", "b_s", "C_s", "S_reaction")  # in the order of trm_matrix


class Choice(Structure):
    _fields_ = [("name", c_char_p), ("about", c_char_p)]


class Setting(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class File(Structure):
    _fields_ = [("size", c_size_t), ("state", c_int), ("busy", c_int), ("file", c_int), ("into", c_int), ("part", c_char * 4096),
                ("place", c_char * 4096)]


class WriteDef(Structure):
    _fields_ = [("size", c_size_t), ("fresh", c_int), ("file", POINTER(File)), ("stop", POINTER(c_int))]


class RunDef(Structure):
    # "from" is a word of Python: getattr and setattr take it
    _fields_ = [("size", c_size_t)] + [(name, c_char_p) for name in (
        "from", "until", "every", "tolerance", "rank_tolerance", "integrator", "formulation", "coordinates", "csv")] + [
        ("file", POINTER(File)), ("at", c_char_p), ("inputs", c_char_p), ("outputs", c_char_p), ("along", c_int), ("exact", c_int),
        ("profile", c_int), ("keep", c_int), ("progress", Progress), ("progress_context", c_void_p), ("expected", Progress),
        ("stop", POINTER(c_int)), ("sample", Sample), ("sample_context", c_void_p), ("choices", POINTER(Setting)),
        ("choice_count", c_int)]


class ImportDef(Structure):
    _fields_ = [("size", c_size_t), ("loops", c_char_p), ("free_base", c_int), ("model", c_char_p)]


class Deal(Structure):
    _fields_ = [("size", c_size_t), ("context", c_void_p), ("rank", c_int), ("ranks", c_int), ("pause", c_int),
                ("meet", CFUNCTYPE(c_int, c_void_p, c_int)),
                ("more", CFUNCTYPE(c_int, c_void_p, c_long, c_long, POINTER(c_long), POINTER(c_long))),
                ("attend", CFUNCTYPE(None, c_void_p)), ("over", CFUNCTYPE(c_int, c_void_p, c_int))]


class EmitDef(Structure):
    _fields_ = [("size", c_size_t), ("prefix", c_char_p), ("solver", c_char_p), ("coordinates", c_char_p), ("jacobian", c_int),
                ("no_main", c_int), ("single_precision", c_int)]


class PlotDef(Structure):
    _fields_ = [("size", c_size_t), ("folder", c_char_p), ("format", c_char_p), ("width", c_double), ("height", c_double),
                ("letters", c_double)]


class SceneDef(Structure):
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("instants", POINTER(c_double)), ("count", c_int), ("style", c_char_p),
                ("view", c_char_p), ("width", c_double), ("height", c_double)]


class SweepDef(Structure):
    _fields_ = [("size", c_size_t), ("vary", POINTER(c_char_p)), ("vary_count", c_int), ("cases", c_char_p), ("folder", c_char_p),
                ("threads", c_int), ("keep", c_int), ("run", POINTER(RunDef)), ("sampling", c_int), ("draws", c_long), ("seed", c_long),
                ("timeout", c_double), ("stop_after", c_long), ("progress", SweepProgress), ("progress_context", c_void_p),
                ("deal", POINTER(Deal))]


class Callbacks(Structure):
    _fields_ = [("size", c_size_t), ("n", c_int), ("m", c_int), ("position_rows", c_int), ("velocity_rows", c_int), ("context", c_void_p),
                ("coordinates", POINTER(c_char_p)), ("rows", POINTER(c_char_p)), ("q", c_void_p), ("v", c_void_p), ("mass", At),
                ("force", AtState), ("constraint", AtStateTwo), ("nonideal", AtState), ("position", At), ("velocity", AtState),
                ("energy", AtStateTwo), ("error", Meaning)]


STRUCTS = {"trm_choice": Choice, "trm_setting": Setting, "trm_file": File, "trm_write_def": WriteDef, "trm_run_def": RunDef,
           "trm_import_def": ImportDef, "trm_emit_def": EmitDef, "trm_plot_def": PlotDef, "trm_scene_def": SceneDef,
           "trm_sweep_def": SweepDef, "trm_deal": Deal, "trm_callbacks": Callbacks}

_text, _object, _out, _status, _numbers = c_char_p, c_void_p, POINTER(c_void_p), c_int, c_void_p

# name: what is returned, what is taken. Arrays of numbers are addresses, so that NumPy's can be handed over at no cost.
FUNCTIONS = {
    "trm_version": (_text, ()),
    "trm_parts": (_text, ()),
    "trm_kernels": (_text, ()),
    "trm_kernel": (_text, ()),
    "trm_closest": (_text, (_text, POINTER(_text), c_int)),
    "trm_integrator_at": (Choice, (c_int,)),
    "trm_formulation_at": (Choice, (c_int,)),
    "trm_coordinates_at": (Choice, (c_int,)),
    "trm_paper_choice_at": (Choice, (c_int,)),
    "trm_paper_choice_formulation": (_text, (c_int,)),
    "trm_text_tame": (None, (_text, c_int)),
    "trm_model_read": (_status, (_text, POINTER(Setting), c_int, _out)),
    "trm_model_read_text": (_status, (_text, _text, POINTER(Setting), c_int, _out)),
    "trm_model_from_callbacks": (_status, (POINTER(Callbacks), _out)),
    "trm_system_from_callbacks": (_status, (POINTER(Callbacks), _out, _out)),
    "trm_model_add_callbacks": (_status, (_object, POINTER(Callbacks))),
    "trm_model_free": (None, (_object,)),
    "trm_model_messages": (_text, (_object, c_int)),
    "trm_model_title": (_text, (_object,)),
    "trm_model_coordinates": (c_int, (_object,)),
    "trm_model_rows": (c_int, (_object,)),
    "trm_model_coordinate_name": (_text, (_object, c_int)),
    "trm_model_row_name": (_text, (_object, c_int)),
    "trm_model_page": (_text, (_object, _text)),
    "trm_model_equations": (_text, (_object, c_int)),
    "trm_model_plots": (c_int, (_object,)),
    "trm_model_number": (_status, (_object, _text, POINTER(c_double))),
    "trm_model_parameters": (c_int, (_object,)),
    "trm_model_parameter_name": (_text, (_object, c_int)),
    "trm_model_parameter_named": (c_int, (_object, _text)),
    "trm_model_parameter_value": (c_double, (_object, c_int)),
    "trm_model_parameter_structural": (c_int, (_object, c_int)),
    "trm_model_set": (_status, (_object, _text, c_double, POINTER(c_int))),
    "trm_model_is_source": (c_int, (_object, _text)),
    "trm_file_init": (None, (POINTER(File), c_size_t)),
    "trm_file_rescue": (_text, (POINTER(File),)),
    "trm_write_def_init": (None, (POINTER(WriteDef), c_size_t)),
    "trm_file_write": (_status, (_text, _text, c_size_t, POINTER(WriteDef), c_char_p, c_size_t)),
    "trm_system_create": (_status, (_object, _out)),
    "trm_system_free": (None, (_object,)),
    "trm_system_coordinates": (c_int, (_object,)),
    "trm_system_rows": (c_int, (_object,)),
    "trm_system_coordinate_name": (_text, (_object, c_int)),
    "trm_system_row_name": (_text, (_object, c_int)),
    "trm_system_from_bodies": (None, (_object, _numbers, _numbers, _numbers, _numbers)),
    "trm_system_to_bodies": (None, (_object, _object, _numbers, _numbers, _numbers, _numbers)),
    "trm_system_body": (c_int, (_object, _text)),
    "trm_system_jacobian": (c_int, (_object, _object, _numbers, c_int, _numbers, _numbers, _numbers)),
    "trm_state_create": (_status, (_object, _out)),
    "trm_state_free": (None, (_object,)),
    "trm_acceleration": (_status, (_object, _object, c_double, _numbers, _numbers, _numbers, _numbers, _numbers)),
    "trm_accelerations": (_status, (_object, _object, c_int, _numbers, _numbers, _numbers, _numbers, _numbers, _numbers)),
    "trm_state_keep_turns": (None, (_object, _object, c_double, _numbers)),
    "trm_state_error": (_text, (_object,)),
    "trm_control": (_status, (_object, _object, c_double, _numbers, _numbers, _numbers, _numbers, _numbers)),
    "trm_system_matrix_size": (None, (_object, c_int, POINTER(c_int), POINTER(c_int), POINTER(c_int))),
    "trm_system_matrix_pattern": (None, (_object, c_int, c_void_p, c_void_p)),
    "trm_state_matrix": (_status, (_object, _object, c_int, _numbers)),
    "trm_state_entries": (_status, (_object, _object, c_int, _numbers)),
    "trm_state_energies": (_status, (_object, _object, POINTER(c_double), POINTER(c_double), POINTER(c_double))),
    "trm_state_residuals": (_status, (_object, _object, _numbers, _numbers)),
    "trm_system_outputs": (c_int, (_object,)),
    "trm_system_output_name": (_text, (_object, c_int)),
    "trm_state_outputs": (_status, (_object, _object, _numbers)),
    "trm_assemble": (_status, (_object, POINTER(RunDef), _numbers, _numbers, _out)),
    "trm_run_def_init": (None, (POINTER(RunDef), c_size_t)),
    "trm_run": (_status, (_object, POINTER(RunDef), _out)),
    "trm_check": (_status, (_object, POINTER(RunDef), _out)),
    "trm_compare": (_status, (_object, POINTER(RunDef), _out)),
    "trm_linearize": (_status, (_object, POINTER(RunDef), _out)),
    "trm_result_matrices": (_text, (_object,)),
    "trm_equilibrium": (_status, (_object, POINTER(RunDef), _out)),
    "trm_result_model": (_text, (_object, _text)),
    "trm_result_summary": (_text, (_object,)),
    "trm_result_json": (_text, (_object,)),
    "trm_result_messages": (_text, (_object, c_int)),
    "trm_result_samples": (c_long, (_object,)),
    "trm_model_columns": (c_int, (_object,)),
    "trm_model_column_name": (_text, (_object, c_int)),
    "trm_result_columns": (c_int, (_object,)),
    "trm_result_column_name": (_text, (_object, c_int)),
    "trm_result_column_named": (c_int, (_object, _text)),
    "trm_result_results": (c_int, (_object,)),
    "trm_result_result_name": (_text, (_object, c_int)),
    "trm_result_result": (c_double, (_object, c_int)),
    "trm_result_result_at": (c_double, (_object, c_int)),
    "trm_result_column": (_numbers, (_object, c_int)),
    "trm_result_failures": (_text, (_object,)),
    "trm_result_page": (_text, (_object, c_int)),
    "trm_plot_def_init": (None, (POINTER(PlotDef), c_size_t)),
    "trm_result_plots": (_status, (_object, POINTER(PlotDef), POINTER(_text))),
    "trm_scene_def_init": (None, (POINTER(SceneDef), c_size_t)),
    "trm_result_scene": (_status, (_object, POINTER(SceneDef), POINTER(_text))),
    "trm_result_sketch": (_text, (_object, c_int, c_int)),
    "trm_result_free": (None, (_object,)),
    "trm_session_create": (_status, (_object, POINTER(RunDef), _out)),
    "trm_session_advance": (_status, (_object, c_double, POINTER(c_double))),
    "trm_session_values": (_numbers, (_object,)),
    "trm_session_messages": (_text, (_object, c_int)),
    "trm_session_set": (_status, (_object, _text, c_double)),
    "trm_session_copy": (_status, (_object, _out)),
    "trm_session_free": (None, (_object,)),
    "trm_sweep_def_init": (None, (POINTER(SweepDef), c_size_t)),
    "trm_sweep": (_status, (_object, POINTER(SweepDef), _out)),
    "trm_sweep_continue": (_status, (_text, POINTER(SweepDef), _out, _out)),
    "trm_sweep_read": (_status, (_text, _out)),
    "trm_sweep_export": (_status, (_object, _text)),
    "trm_sweep_plot": (_status, (_object, _text)),
    "trm_sweep_model": (_status, (_object, _out)),
    "trm_sweep_page": (_text, (_object, _object)),
    "trm_sweep_cases": (c_long, (_object,)),
    "trm_sweep_status": (c_int, (_object, c_long)),
    "trm_sweep_message": (_text, (_object, c_long)),
    "trm_sweep_parameters": (c_int, (_object,)),
    "trm_sweep_columns": (c_int, (_object,)),
    "trm_sweep_column_name": (_text, (_object, c_int)),
    "trm_sweep_column": (_numbers, (_object, c_int)),
    "trm_sweep_sampled": (c_int, (_object,)),
    "trm_sweep_samples": (_numbers, (_object, c_long, POINTER(c_long))),
    "trm_sweep_summary": (_text, (_object,)),
    "trm_sweep_json": (_text, (_object,)),
    "trm_sweep_messages": (_text, (_object, c_int)),
    "trm_sweep_free": (None, (_object,)),
    "trm_import_def_init": (None, (POINTER(ImportDef), c_size_t)),
    "trm_import_read": (_status, (_text, POINTER(ImportDef), _out)),
    "trm_import_text": (_text, (_object,)),
    "trm_import_messages": (_text, (_object, c_int)),
    "trm_import_is_source": (c_int, (_object, _text)),
    "trm_import_free": (None, (_object,)),
    "trm_emit_def_init": (None, (POINTER(EmitDef), c_size_t)),
    "trm_emit_solver_at": (Choice, (c_int,)),
    "trm_emit_c": (_status, (_object, POINTER(EmitDef), _out)),
    "trm_emission_files": (c_int, (_object,)),
    "trm_emission_file_name": (_text, (_object, c_int)),
    "trm_emission_file_text": (_text, (_object, c_int)),
    "trm_emission_summary": (_text, (_object,)),
    "trm_emission_messages": (_text, (_object, c_int)),
    "trm_emission_free": (None, (_object,)),
}
