"""URDF files: the links and joints of a robot, with all elements that affect its motion.

    <robot name="arm">
      <link name="base"/>
      <link name="arm">
        <inertial> <origin xyz rpy/> <mass value/> <inertia ixx ixy ixz iyy iyz izz/> </inertial>
      </link>
      <joint name="turn" type="revolute">
        <parent link="base"/> <child link="arm"/> <origin xyz rpy/> <axis xyz/>
        <limit lower upper velocity effort/> <dynamics damping friction/>
      </joint>
    </robot>

An ``<origin>`` is a pose in the frame of the link or joint that contains it: xyz in m, and rpy, turns about the fixed
axes x, y, z in rad. The frame of a link is the frame of the joint that carries it, and the joint's axis is in that
frame. The specification is at http://wiki.ros.org/urdf/XML.
"""

from armdyn.base.lazy import modules_of
from armdyn.formats.urdf.reader import read_urdf, read_urdf_text

__all__ = ["read_urdf", "read_urdf_text"]

__getattr__ = modules_of(__name__)
