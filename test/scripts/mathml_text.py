"""What must hold of all MathML that the program writes."""
import re
import xml.etree.ElementTree


def check_mathml(text):
    xml.etree.ElementTree.fromstring(f"<all>{text}</all>")
    assert "\\" not in re.sub(r"<mtext>.*?</mtext>", "", text), text
