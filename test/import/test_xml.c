/* XML as elements with attributes and places, and what is refused. */
#include "import/xml.h"
#include "support/robots.h"

static const xml_element *read_xml(described *x, const char *given) {
    *x = describe(given);
    return xml_read(x->arena, x->source, &x->diags);
}

// what a place points at
static const char *pointed(described *x, place at) {
    return arena_copy(x->arena, at.source->text + at.offset, (size_t)at.length);
}

static void elements_make_a_tree(void **state) {
    described x;
    const xml_element *e = read_xml(&x, "<?xml version='1.0'?>\n<a>text<b/><!-- <no/> --><c><d/></c>\n<b/>"
                                        "<![CDATA[<no/>]]></a>\n");
    assert_non_null(e);
    assert_string_equal(e->name, "a");
    assert_null(e->parent);
    assert_null(e->next);
    const xml_element *b = e->first, *c = b->next, *again = c->next;
    assert_string_equal(b->name, "b");
    assert_null(b->first);
    assert_string_equal(c->name, "c");
    assert_ptr_equal(c->parent, e);
    assert_string_equal(c->first->name, "d");
    assert_ptr_equal(c->first, c->last);
    assert_string_equal(again->name, "b");
    assert_ptr_equal(e->last, again);
    assert_null(again->next);
    assert_int_equal(x.diags.errors, 0);
    forget(&x);
}

static void attributes_have_values_and_places(void **state) {
    described x;
    const xml_element *e = read_xml(&x, "<a one='1' two = \"x=&quot;2&apos; &lt;\"\n\tthree='&#65;&#xE9;' "
                                        "xml:id='i' empty=''/>");
    assert_non_null(e);
    assert_int_equal(e->count, 5);
    static const char *const names[] = {"one", "two", "three", "xml:id", "empty"};
    static const char *const values[] = {"1", "x=\"2' <", "A\xC3\xA9", "i", ""};
    for (int i = 0; i < 5; i++) {
        const xml_attribute *a = xml_attribute_find(e, names[i]);
        assert_non_null(a);
        assert_string_equal(a->value, values[i]);
        assert_string_equal(pointed(&x, a->at), names[i]);
    }
    assert_null(xml_attribute_find(e, "four"));
    assert_null(xml_attribute_find(e, "tw"));
    assert_string_equal(pointed(&x, e->at), "a");
    forget(&x);
}

static void prefixes_are_part_of_names(void **state) {
    described x;
    const xml_element *e = read_xml(&x, "<a><xacro:macro p:q='1' q='2'/></a>"); // of no namespace
    assert_non_null(e);
    assert_string_equal(e->first->name, "xacro:macro");
    assert_string_equal(xml_attribute_find(e->first, "p:q")->value, "1");
    assert_string_equal(xml_attribute_find(e->first, "q")->value, "2");
    assert_string_equal(pointed(&x, xml_attribute_find(e->first, "q")->at), "q");
    forget(&x);
}

static void wrong_xml_is_told(void **state) {
    static const struct {
        const char *given, *at, *message, *hint;
    } cases[] = {
        {"", NULL, "error: 'r.urdf' is empty", NULL},
        {" \n\t\r\n", NULL, "error: 'r.urdf' is empty", NULL},
        {"robot", "1:1", "error: this is not well-formed XML: ", NULL},
        {"<a><b></a>", "1", "error: this is not well-formed XML: ", NULL},
        {"<a>\n<b c='1'", NULL, "error: this is not well-formed XML: ", "the file ends here: is it whole?"},
        {"<a b=1/>", NULL, "error: this is not well-formed XML: ", NULL},
        {"<a b='1' b='2'/>", NULL, "error: this is not well-formed XML: ", NULL},
        {"<a>&who;</a>", NULL, "error: this is not well-formed XML: ", NULL},
        {"<a/><b/>", NULL, "error: this is not well-formed XML: ", NULL},
        {"<a>\xFF</a>", "1:4", "error: a byte with code 255, which is no UTF-8 text",
         "save the file as UTF-8"},
        {"<a>\xC3</a>", "1:4", "error: a byte with code 195", NULL},
        {"<?xml version='1.0' encoding='latin1'?>\n<a b='\xE9'/>", "2:7", "error: a byte with code 233",
         NULL},
        {"<!DOCTYPE a [<!ENTITY b 'c'>]>\n<a>&b;</a>", "1", "error: a DOCTYPE is not read",
         "delete it, and write out what its entities stand for"},
        {"<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", "1", "error: a DOCTYPE is not read", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        described x;
        assert_null(read_xml(&x, cases[i].given));
        assert_int_equal(x.diags.errors, 1);
        const char *line = cases[i].at ? arena_print(x.arena, "r.urdf:%s:", cases[i].at) : "";
        assert_told(&x, NULL, cases[i].message, cases[i].hint);
        assert_non_null(strstr(messages(&x), line));
        forget(&x);
    }
}

static const char *nested(arena *a, int depth) {
    char *text = arena_print(a, "%*s", 7 * depth, "");
    for (int i = 0; i < depth; i++) {
        memcpy(text + 3 * i, "<a>", 3);
        memcpy(text + 7 * depth - 4 * (i + 1), "</a>", 4);
    }
    return text;
}

static void nesting_and_attributes_are_bounded(void **state) {
    for (int more = 0; more < 2; more++) {
        described x = describe("");
        set_text(&x, nested(x.arena, XML_DEEPEST + more));
        assert_true((xml_read(x.arena, x.source, &x.diags) != NULL) == !more);
        if (more)
            assert_told(&x, NULL, "error: elements are nested too deeply",
                        "no robot description needs more than 200 levels");
        forget(&x);
    }
    for (int count = 1000; count <= 1001; count++) {
        described x = describe("");
        char *text = arena_print(x.arena, "<a%*s/>", 10 * count, ""), one[40];
        for (int i = 0; i < count; i++) {
            snprintf(one, sizeof one, " b%04d='%d'", i, i % 10);
            memcpy(text + 2 + 10 * i, one, 10);
        }
        set_text(&x, text);
        const xml_element *e = xml_read(x.arena, x.source, &x.diags);
        assert_true((e != NULL) == (count == 1000));
        if (e)
            assert_int_equal(e->count, count);
        else
            assert_told(&x, "1:1", "error: this tag has more than 1000 attributes", NULL);
        forget(&x);
    }
}

// the parser is given 64 KiB at a time: places and names go on over the seams
static void long_files(void **state) {
    described x = describe("");
    enum { COUNT = 20000 };
    char *text = arena_print(x.arena, "<a>%*s</a>", 15 * COUNT, ""), one[40];
    for (int i = 0; i < COUNT; i++) {
        snprintf(one, sizeof one, "<b c='%05d' />\n", i);
        memcpy(text + 3 + 15 * i, one, 15);
    }
    set_text(&x, text);
    const xml_element *e = xml_read(x.arena, x.source, &x.diags);
    assert_non_null(e);
    int i = 0;
    for (const xml_element *b = e->first; b; b = b->next, i++) {
        snprintf(one, sizeof one, "%05d", i);
        assert_string_equal(b->attributes[0].value, one);
        assert_int_equal(b->at.offset, 4 + 15 * i);
        assert_int_equal(b->attributes[0].at.offset, 6 + 15 * i);
    }
    assert_int_equal(i, COUNT);
    forget(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_make_a_tree),
        cmocka_unit_test(attributes_have_values_and_places),
        cmocka_unit_test(prefixes_are_part_of_names),
        cmocka_unit_test(wrong_xml_is_told),
        cmocka_unit_test(nesting_and_attributes_are_bounded),
        cmocka_unit_test(long_files),
    };
    return cannot_import() ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
